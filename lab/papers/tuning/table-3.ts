// Table 3: the first revalidation over the LAN, before anything was tuned. All three ways fetch the page and ask for the
// images by HEAD, as the robot did then; the pipeline has a buffer of 1,024 bytes and a timer of 1 s, and no flush.

import type { Cell, Column, Table } from '../../result.ts';
import { inRounds, type TcpStudySettings } from '../../tcp-study/rounds.ts';
import { RobotPlace, servedBy } from '../robot-place.ts';
import { lans } from './clients.ts';
import { byRobot, packets, type Sample, spread, type Visit } from './samples.ts';

interface Way {
  name: string;
  printed: { atOnce: number; sockets: number; up: number; down: number; seconds: number };
  visit: Visit;
}

const kind = 'head';

export const untuned: Visit = {
  ...{ version: '1.1', connections: 1, lines: 'pipelined', kind },
  buffer: { bytes: 1024, timerMs: 1000, flush: [] },
};

const ways: Way[] = [
  {
    name: 'HTTP/1.0',
    printed: { atOnce: 6, sockets: 40, up: 226, down: 271, seconds: 1.85 },
    visit: { version: '1.0', connections: 6, lines: 'each', kind },
  },
  {
    name: 'HTTP/1.1 persistent',
    printed: { atOnce: 1, sockets: 1, up: 70, down: 153, seconds: 4.13 },
    visit: { version: '1.1', connections: 1, lines: 'kept', kind },
  },
  {
    name: 'HTTP/1.1 pipelined',
    printed: { atOnce: 1, sockets: 1, up: 25, down: 58, seconds: 3.02 },
    visit: untuned,
  },
];

const columns: Column[] = [
  { name: 'way', meaning: 'as the paper calls it; all by the robot', text: true },
  { name: 'at once printed', meaning: 'most sockets at once, as printed', digits: 0 },
  { name: 'at once', meaning: 'the same here', digits: 0 },
  { name: 'sockets printed', meaning: 'sockets in all, as printed', digits: 0 },
  { name: 'sockets', meaning: 'the same here', digits: 0 },
  { name: 'up printed', meaning: 'packets from the client, as printed', digits: 0 },
  { name: 'up', meaning: 'the same, counted by the link', digits: 0 },
  { name: 'down printed', meaning: 'packets from the server, as printed', digits: 0 },
  { name: 'down', meaning: 'the same, counted by the link', digits: 0 },
  { name: 'Pa printed', meaning: 'packets both ways, as printed', digits: 0 },
  { name: 'Pa', meaning: 'the same, counted by the link', digits: 0 },
  { name: 'Sec printed', meaning: 'seconds, as printed' },
  { name: 'Sec', meaning: "seconds with the kernel's TCP of today" },
  {
    name: 'Sec 1997',
    meaning:
      'seconds where windows begin with two segments and the client acknowledges a lone segment at the next beat of 200 ms',
  },
];

export interface Table3 {
  table: Table;
  /** By way, in the order of the table: printed, and here the median of packets and the fastest round. */
  byWay: Array<{ printedPackets: number; packets: number; printedS: number; seconds: number }>;
}

export async function table3({ rounds, say }: TcpStudySettings): Promise<Table3> {
  const today = await measured(lans.today, { rounds, say });
  const of1997 = await measured(lans.of1997, { rounds, say });
  const all = ways.map((way) => ({
    ...way,
    samples: today.get(way) as Sample[],
    old: of1997.get(way) as Sample[],
  }));
  const seconds = ({ ms }: Sample) => ms / 1000;
  const rows = all.map(({ name, printed, samples, old }): Cell[] => [
    ...[name, printed.atOnce, spread(samples, ({ atOnce }) => atOnce)],
    ...[printed.sockets, spread(samples, ({ connections }) => connections)],
    ...[printed.up, spread(samples, ({ packetsUp }) => packetsUp)],
    ...[printed.down, spread(samples, ({ packetsDown }) => packetsDown)],
    ...[printed.up + printed.down, spread(samples, packets)],
    ...[printed.seconds, spread(samples, seconds), spread(old, seconds)],
  ]);
  return {
    table: { title: 'Table 3: initial cache revalidation test, LAN', columns, rows },
    byWay: all.map(({ printed, samples }) => ({
      printedPackets: printed.up + printed.down,
      packets: spread(samples, packets).median,
      printedS: printed.seconds,
      seconds: spread(samples, seconds).min,
    })),
  };
}

async function measured(lan: (typeof lans)['today'], { rounds, say }: TcpStudySettings) {
  say(`table 3, ${'delayedAckMs' in lan ? 'TCP of 1997' : 'TCP of today'}`);
  await using place = await RobotPlace.open(lan, servedBy('own'));
  return await inRounds(ways, rounds, ({ visit }) => byRobot(place, visit));
}
