// Time from starting the command to its first byte on the wire, beyond what Node itself needs to start. A plain TCP
// listener in this process records the arrival.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { builtCommand, sourceCommand } from '../paths.ts';
import type { BenchResult, Cell, Column } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { spreadOf } from '../spread.ts';

interface Starter {
  name: string;
  args: (url: string) => string[];
  env?: Record<string, string>;
  /** What ends the wait: the first output, or the first byte at the server. */
  until: 'output' | 'request';
}

const columns: Column[] = [
  { name: 'started', meaning: 'what was run' },
  { name: 'ms', meaning: 'from spawn to its first output or first byte at the server', digits: 1 },
  { name: 'over node -e', meaning: 'minus `node -e` of the same round, ms', digits: 1 },
];

export async function coldStart(settings: {
  rounds: number;
  say: (line: string) => void;
}): Promise<BenchResult> {
  const { rounds, say } = settings;
  using scratch = new Scratch();
  const starters = startersOf(builtCommand, join(scratch.path, 'compile-cache'));
  const times = await measure(starters, rounds, say);
  const bare = times[0] as number[];
  const over = times.map((taken) => taken.map((ms, round) => ms - (bare[round] as number)));
  const rows = starters.map(({ name }, index): Cell[] => [
    name,
    spreadOf(times[index] as number[]),
    index === 0 ? null : spreadOf(over[index] as number[]),
  ]);
  const target = (index: number) => ({
    what: `${starters[index]?.name}: first byte on the wire after bare Node`,
    limit: 70,
    unit: 'ms',
    measured: spreadOf(over[index] as number[]),
    judgedBy: 'median' as const,
  });
  return {
    name: 'cold-start',
    title: 'Start of the command',
    method: [
      `\`loadahead load --json\` of a loopback URL against a bare TCP server that notes the first byte; ${rounds} interleaved rounds count, two before them fill the file and compile caches.`,
      'The built command is compiled for this run from the sources as they are. Without compile cache is what the first start after installing costs, its files being in memory already.',
    ],
    tables: [{ title: '', columns, rows }],
    targets: [target(1), target(2)],
  };
}

function startersOf(built: string, compileCache: string): Starter[] {
  const load = (file: string) => (url: string) => [file, 'load', url, '--json'];
  const cached = { NODE_COMPILE_CACHE: compileCache };
  const uncached = { NODE_DISABLE_COMPILE_CACHE: '1' };
  const say = "process.stdout.write('.')";
  return [
    { name: 'node -e', args: () => ['-e', say], until: 'output' },
    { name: 'built command', args: load(built), env: cached, until: 'request' },
    { name: 'source command', args: load(sourceCommand), env: cached, until: 'request' },
    {
      name: 'built command, no compile cache',
      args: load(built),
      env: uncached,
      until: 'request',
    },
  ];
}

/** Times by starter, in the order of rounds. */
async function measure(
  starters: readonly Starter[],
  rounds: number,
  say: (line: string) => void,
): Promise<number[][]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  let onFirstByte = (): void => {};
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      onFirstByte();
      socket.end('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n');
    });
  });
  const times = starters.map((): number[] => []);
  const uncounted = 2;
  for (let round = -uncounted; round < rounds; round++) {
    for (const [index, { args, env, until }] of starters.entries()) {
      const startedAt = performance.now();
      const child = spawn(process.execPath, args(url), {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const closed = once(child, 'close');
      const seen = new Promise<number>((resolve, reject) => {
        const now = () => resolve(performance.now() - startedAt);
        if (until === 'request') onFirstByte = now;
        else child.stdout.once('data', now);
        closed.then(() => reject(new Error(`${args(url).join(' ')} ended without a word`)));
      });
      child.stdout.resume();
      const ms = await seen;
      await closed;
      if (round >= 0) times[index]?.push(ms);
    }
    if ((round + 1) % 5 === 0 && round > 0) say(`round ${round + 1} of ${rounds}`);
  }
  server.close();
  return times;
}
