// What a connection inherits of another between the same hosts (Heidemann 1996, 2.4, after Touch): in turn, by what the
// kernel remembers of a connection that closed, and in parallel, beside one that is open.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTrace } from '../link/trace.ts';
import { links } from '../page-loads/links.ts';
import { run } from '../processes.ts';
import type { Cell, Column, Table } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { ratios, spreadOf } from '../spread.ts';
import { Place } from './place.ts';
import { afterLastRequest } from './restart-table.ts';
import { inRounds, type TcpStudySettings } from './rounds.ts';

interface Way {
  name: string;
  remembers: boolean;
  threshold: boolean;
  keeps?: true;
}

const ways: Way[] = [
  { name: 'in turn, nothing remembered', remembers: false, threshold: false },
  {
    name: 'in turn, as Linux does: round trip and its variance',
    remembers: true,
    threshold: false,
  },
  { name: 'in turn, and the threshold of slow start', remembers: true, threshold: true },
  {
    name: 'beside one that is open, all remembered',
    remembers: true,
    threshold: true,
    keeps: true,
  },
];

const columns: Column[] = [
  {
    name: 'second connection',
    meaning: 'when it opens, and what the server keeps of the first',
    text: true,
  },
  {
    name: 'document, ms',
    meaning:
      'the second document of 200,000 bytes, from its request; with the handshake where it has a connection of its own',
    digits: 1,
  },
  { name: 'to nothing', meaning: '`document, ms` over that of the first row, same round' },
  {
    name: 'first flight',
    meaning: 'its packets before the client could acknowledge one',
    digits: 0,
  },
  {
    name: 'sent again',
    meaning: 'its packets that were sent a second time, lost in the queue',
    digits: 0,
  },
  { name: 'kept', meaning: 'what `ip tcp_metrics` shows before it, in the last round', text: true },
];

export async function inheritanceTable({ rounds, say }: TcpStudySettings): Promise<Table> {
  say('WAN, connections in turn and in parallel');
  using scratch = new Scratch();
  writeFileSync(join(scratch.path, 'document.gif'), Buffer.alloc(200_000, 'x'));
  const traceFile = join(scratch.path, 'trace');
  const settings = { ...links.wan, queuePackets: 20, traceFile };
  await using place = await Place.open(settings, scratch.path);
  const { link } = place;
  const metrics = (...args: string[]) => {
    const [command, rest] = link.at('server', ['ip', 'tcp_metrics', ...args]);
    return run(command, rest);
  };
  const kept = new Map<Way, string>();
  const samples = await inRounds(ways, rounds, async (way) => {
    const { remembers, threshold, keeps } = way;
    await link.setKernel('server', 'net.ipv4.tcp_no_metrics_save', remembers ? '0' : '1');
    await link.setKernel('server', 'net.ipv4.tcp_no_ssthresh_metrics_save', threshold ? '0' : '1');
    await metrics('flush', 'all');
    const before = readTrace(traceFile).length;
    const paths = ['/document.gif', '/document.gif'];
    const visiting = place.visit('', {
      ...{ paths, pause: { beforeLast: 1, ms: 1_000 } },
      ...(keeps ? { keeps } : { closes: true }),
    });
    // The first document takes less than a second, so that this falls into the pause.
    await new Promise((resolve) => setTimeout(resolve, 1_400));
    kept.set(way, words((await metrics('show')).stdout));
    const { afterPauseMs } = await visiting;
    await link.counts();
    const packets = readTrace(traceFile).slice(before);
    return { ms: afterPauseMs ?? Number.NaN, ...afterLastRequest(packets) };
  });
  const of = (way: Way) => samples.get(way) ?? [];
  const times = (way: Way) => of(way).map(({ ms }) => ms);
  const rows = ways.map((way): Cell[] => [
    way.name,
    spreadOf(times(way)),
    spreadOf(ratios(times(way), times(ways[0] as Way))),
    spreadOf(of(way).map(({ flight }) => flight)),
    spreadOf(of(way).map(({ again }) => again)),
    kept.get(way) ?? '',
  ]);
  return {
    title: 'What connections inherit, WAN with a queue of 20 packets',
    columns,
    rows,
  };
}

/** `198.18.0.1 age 0.3sec cwnd 10 rtt 90000us source ...` without the addresses and the age. */
function words(shown: string): string {
  const found = /age \S+ (.*?)(?: source .*)?$/m.exec(shown.trim())?.[1];
  return found?.trim() || 'nothing';
}
