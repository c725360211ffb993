// Nagle's algorithm against the buffers of a pipeline (4.1.2): on and off at either end, with requests and responses
// gathered and each by itself, over the LAN with TCP of 1997 and of today.

import { fileURLToPath } from 'node:url';
import { microscape } from '../../paths.ts';
import type { Cell, Column, Table } from '../../result.ts';
import { inRounds, type TcpStudySettings } from '../../tcp-study/rounds.ts';
import { RobotPlace } from '../robot-place.ts';
import { plain } from './buffers.ts';
import { lans } from './clients.ts';
import { byLoader, packets, type Sample, spread } from './samples.ts';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

type OnOff = 'on' | 'off';

interface Setting {
  buffers: 'both' | 'client' | 'neither';
  client: OnOff;
  server: OnOff;
}

const settings: Setting[] = (['both', 'client', 'neither'] as const).flatMap((buffers) =>
  (['off', 'on'] as const).flatMap((client) =>
    (['off', 'on'] as const).map((server) => ({ buffers, client, server })),
  ),
);

const visits = ['first', 'again'] as const;
type Visits<Value> = Record<(typeof visits)[number], Value>;

const columns: Column[] = [
  {
    name: 'buffers',
    meaning:
      'both: requests and responses are gathered; client: requests are, and each response has a write of its own; neither: each has',
    text: true,
  },
  { name: 'Nagle, client', meaning: 'TCP_NODELAY off at the client', text: true },
  { name: 'Nagle, server', meaning: 'TCP_NODELAY off at the server', text: true },
  { name: 'first, ms', meaning: "a first visit with the kernel's TCP of today", digits: 0 },
  { name: 'first, ms 1997', meaning: 'the same with TCP of 1997', digits: 0 },
  { name: 'first, Pa', meaning: 'packets both ways, today', digits: 0 },
  { name: 'validation, ms', meaning: 'all of the page, with conditions, today', digits: 0 },
  { name: 'validation, ms 1997', meaning: 'the same with TCP of 1997', digits: 0 },
  { name: 'validation, Pa', meaning: 'packets both ways, today', digits: 0 },
];

export interface NagleFigures {
  table: Table;
  /** Samples of today and with TCP of 1997; Nagle at the client, and at the server. */
  of(
    buffers: Setting['buffers'],
    client: OnOff,
    server: OnOff,
  ): { today: Visits<Sample[]>; old: Visits<Sample[]> };
}

export async function nagle({ rounds, say }: TcpStudySettings): Promise<NagleFigures> {
  const today = new Map<Setting, Visits<Sample[]>>();
  const old = new Map<Setting, Visits<Sample[]>>();
  for (const setting of settings) {
    const { buffers, client, server } = setting;
    say(`Nagle: buffers ${buffers}, client ${client}, server ${server}`);
    today.set(setting, await measured(lans.today, setting, rounds));
    old.set(setting, await measured(lans.of1997, setting, rounds));
  }
  const rows = settings.map((setting): Cell[] => {
    const figures = visits.flatMap((visit) => [
      spread(today.get(setting)?.[visit] ?? [], ({ ms }) => ms),
      spread(old.get(setting)?.[visit] ?? [], ({ ms }) => ms),
      spread(today.get(setting)?.[visit] ?? [], packets),
    ]);
    return [setting.buffers, setting.client, setting.server, ...figures];
  });
  return {
    table: { title: 'Nagle against buffers, pipelined, LAN', columns, rows },
    of(buffers, client, server) {
      const found = settings.find(
        (each) => each.buffers === buffers && each.client === client && each.server === server,
      ) as Setting;
      return {
        today: today.get(found) as Visits<Sample[]>,
        old: old.get(found) as Visits<Sample[]>,
      };
    },
  };
}

async function measured(
  lan: (typeof lans)['today'],
  { buffers, client, server }: Setting,
  rounds: number,
): Promise<Visits<Sample[]>> {
  const serve = (host: string) => [
    ...[process.execPath, file('nagle-server.ts'), microscape, host],
    ...[buffers === 'both' ? 'gathered' : 'separate', server === 'on' ? 'nagle' : 'nodelay'],
  ];
  const flags = client === 'on' ? ['--import', file('nagle-client.ts')] : [];
  await using place = await RobotPlace.open(lan, serve, flags);
  const batch = buffers === 'neither' ? { batch: { maxBytes: 1 } } : {};
  const options = { protocol: 'pipelined', connections: 1, ...plain, ...batch } as const;
  const taken = await inRounds(visits, rounds, (visit) => byLoader(place, { options, visit }));
  return { first: taken.get('first') as Sample[], again: taken.get('again') as Sample[] };
}
