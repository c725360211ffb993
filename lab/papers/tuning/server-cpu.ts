// What a page costs the server (11): processor time of all its threads, by way and visit, for our server, nginx and Apache.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { LoaderOptions } from '../../../loader/index.ts';
import { links } from '../../page-loads/links.ts';
import type { Cell, Column, Table } from '../../result.ts';
import { type Spread, spreadOf } from '../../spread.ts';
import type { TcpStudySettings } from '../../tcp-study/rounds.ts';
import { RobotPlace, type ServerName, servedBy } from '../robot-place.ts';
import { plain } from './buffers.ts';

const ways: Array<[name: string, options: LoaderOptions]> = [
  ['HTTP/1.0 x4', { protocol: 'http1.0', connections: 4 }],
  ['HTTP/1.1', { protocol: 'persistent', connections: 1 }],
  ['pipelined', { protocol: 'pipelined', connections: 1 }],
];
const visits = ['first', 'again'] as const;
/** Loads of one sample: a load of nginx takes it about a millisecond. */
const loads = 15;
/** A LAN of 100 Mbit/s, so that this does not take long; processor time does not depend on the rate. */
const line = { ...links.lan, downBitsPerSecond: 100e6, upBitsPerSecond: 100e6 };
/** Program of each server, by the names of `--server`. */
const programs = { own: null, nginx: 'nginx', apache: 'apache2' } as const;

const columns: Column[] = [
  { name: 'server', meaning: 'of `loadahead compare`', text: true },
  { name: 'way', meaning: 'as in Tables 4 to 9', text: true },
  { name: 'first, CPU ms', meaning: 'processor time of the server for a first visit', digits: 2 },
  { name: 'to HTTP/1.0', meaning: 'the same over that of HTTP/1.0, medians' },
  {
    name: 'validation, CPU ms',
    meaning: 'processor time of the server for a validation',
    digits: 2,
  },
  { name: 'to HTTP/1.0, validation', meaning: 'the same over that of HTTP/1.0, medians' },
];

export interface ServerCpu {
  table: Table;
  /** Pipelined over HTTP/1.0, by server: first visit and validation. */
  ratios: Array<{ server: ServerName; first: number; again: number }>;
}

export async function serverCpu({ rounds, say }: TcpStudySettings): Promise<ServerCpu> {
  const rows: Cell[][] = [];
  const ratios: ServerCpu['ratios'] = [];
  for (const [server, program] of Object.entries(programs) as [ServerName, string | null][]) {
    if (program !== null && !existsSync(`/usr/sbin/${program}`)) continue;
    say(`processor time, ${server}`);
    const costs = await measured(server, rounds);
    const [base] = costs;
    if (base === undefined) continue;
    for (const [at, { first, again }] of costs.entries()) {
      const over = {
        first: first.median / base.first.median,
        again: again.median / base.again.median,
      };
      rows.push([server, ways[at]?.[0] ?? '', first, over.first, again, over.again]);
      if (ways[at]?.[0] === 'pipelined') ratios.push({ server, ...over });
    }
  }
  const title = 'Processor time of the server for a page';
  return { table: { title, columns, rows }, ratios };
}

async function measured(
  server: ServerName,
  rounds: number,
): Promise<Array<Record<(typeof visits)[number], Spread>>> {
  await using place = await RobotPlace.open(line, servedBy(server));
  const taken = ways.map(() => ({ first: [] as number[], again: [] as number[] }));
  for (let round = 0; round <= rounds; round++) {
    for (const [at, [, options]] of ways.entries()) {
      const request = { options: { ...options, ...plain } };
      for (const visit of visits) {
        // What the first visit stored is validated again and again.
        if (visit === 'again') await place.load({ ...request, visit: 'first' });
        const before = processorMs(place.server.child.pid as number);
        for (let load = 0; load < loads; load++) await place.load({ ...request, visit });
        const ms = (processorMs(place.server.child.pid as number) - before) / loads;
        if (round > 0) taken[at]?.[visit].push(ms);
      }
    }
  }
  return taken.map(({ first, again }) => ({ first: spreadOf(first), again: spreadOf(again) }));
}

/** Processor time, user and system, of all threads of a process and of those that it started, ms. */
function processorMs(id: number): number {
  const tasks = `/proc/${id}/task`;
  const ids = readdirSync(tasks);
  const own = ids.map((task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]),
  );
  const children = ids.flatMap((task) =>
    readFileSync(`${tasks}/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  const started = children.map(processorMs);
  return own.reduce((sum, ns) => sum + ns / 1e6, 0) + started.reduce((sum, ms) => sum + ms, 0);
}
