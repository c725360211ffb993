// Processor time of connections (Padmanabhan 1995, 3.1) and of reading a page for GETALL (5.1): what the server and the
// client work for a document with 20 images, and how many connections stay in TIME-WAIT.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Link } from '../link/link.ts';
import { links, loadWorkerFile } from '../page-loads/links.ts';
import type { LoadAnswer, LoadRequest } from '../page-loads/load-worker.ts';
import { originPort, ports, startNginx } from '../page-loads/nginx.ts';
import { makePage } from '../page-loads/page-shapes.ts';
import type { WayOptions } from '../page-loads/ways.ts';
import { LineProcess, run } from '../processes.ts';
import type { Cell, Table } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { spreadOf } from '../spread.ts';

const images = 20;
const loadsOfRound = 25;
const identity = { extraHeaders: { 'accept-encoding': 'identity' } };
const onOne = { protocol: 'pipelined', connections: 1 } as const;

interface CostWay {
  name: string;
  server: 'nginx' | 'origin';
  options: WayOptions;
}

const ways: readonly CostWay[] = [
  { name: 'a connection each', server: 'nginx', options: { protocol: 'http1.0', connections: 1 } },
  { name: 'one connection', server: 'nginx', options: { protocol: 'persistent', connections: 1 } },
  { name: 'pipelined', server: 'nginx', options: onOne },
  { name: 'a connection each', server: 'origin', options: { protocol: 'http1.0', connections: 1 } },
  { name: 'pipelined', server: 'origin', options: { ...onOne, getAll: false, ...identity } },
  { name: 'GETALL', server: 'origin', options: { ...onOne, getAll: true, ...identity } },
];

const originFile = fileURLToPath(new URL('../page-loads/origin-server.ts', import.meta.url));

export async function serverCostTable(rounds: number, say: (line: string) => void): Promise<Table> {
  using scratch = new Scratch();
  const folder = `${scratch.path}/site`;
  makePage({ name: 'page', htmlBytes: 2_000, images, imageBytes: [2_544, 2_544] }, folder);
  const taken = ways.map(() => ({
    server: [] as number[],
    client: [] as number[],
    waits: [] as number[],
  }));
  for (let round = 0; round <= rounds; round++) {
    say(`processor time: round ${round} of ${rounds}`);
    for (const [at, { server, options }] of ways.entries()) {
      // A link of its own: no connection of the ways before is left in TIME-WAIT.
      await using link = await Link.open(links.lan);
      const { url, process: served } = await start(link, server, folder, scratch.path);
      await using end = served;
      const command = [process.execPath, loadWorkerFile];
      await using worker = new LineProcess(...link.at('client', command));
      const load = async () => {
        const { constants = {}, ...loader } = options;
        const request: LoadRequest = { url, options: loader, constants };
        worker.send(JSON.stringify(request));
        const { errors } = JSON.parse(await worker.nextLine()) as LoadAnswer;
        if (errors.length > 0) throw new Error(errors[0]);
      };
      for (let warm = 0; warm < loadsOfRound; warm++) await load();
      const waiting = await inTimeWait(link);
      const [serverMs, clientMs] = [processorMs(end), processorMs(worker)];
      for (let count = 0; count < loadsOfRound; count++) await load();
      if (round === 0) continue;
      taken[at]?.server.push((processorMs(end) - serverMs) / loadsOfRound);
      taken[at]?.client.push((processorMs(worker) - clientMs) / loadsOfRound);
      taken[at]?.waits.push(((await inTimeWait(link)) - waiting) / loadsOfRound);
    }
  }
  return {
    title: `Processor time of a document with ${images} images of 2,544 bytes, ${links.lan.name}`,
    columns: [
      { name: 'way', meaning: 'how the document is loaded', text: true },
      { name: 'server', meaning: 'origin: createOrigin with getAll()', text: true },
      { name: 'server ms', meaning: 'time on a processor of the server, for a document' },
      { name: 'client ms', meaning: 'of our loader, warm; most of it is the page, not TCP' },
      {
        ...{ name: 'TIME-WAIT', digits: 1 },
        meaning:
          'connections that a document leaves in this state at the server, for a minute here',
      },
    ],
    rows: ways.map(({ name, server }, at): Cell[] => {
      const { server: served = [], client = [], waits = [] } = taken[at] ?? {};
      return [name, server, spreadOf(served), spreadOf(client), spreadOf(waits)];
    }),
  };
}

async function start(link: Link, server: CostWay['server'], folder: string, scratch: string) {
  const at = `http://${link.serverAddress}`;
  if (server === 'nginx') {
    const process = await startNginx(link, folder, scratch);
    return { url: `${at}:${ports.plain.http1}/`, process };
  }
  const origin = new LineProcess(...link.at('server', [process.execPath, originFile, folder]));
  await origin.nextLine();
  return { url: `${at}:${originPort}/`, process: origin };
}

/** Time that the threads of a process were on a processor, in it and for it in the kernel, ms. */
function processorMs({ child }: LineProcess): number {
  const threads = `/proc/${child.pid}/task`;
  return readdirSync(threads)
    .map((thread) => Number(readFileSync(`${threads}/${thread}/schedstat`, 'latin1').split(' ')[0]))
    .reduce((sum, nanoseconds) => sum + nanoseconds / 1e6, 0);
}

async function inTimeWait(link: Link): Promise<number> {
  const command = ['ss', '-Htan', 'state', 'time-wait'];
  const { stdout } = await run(...link.at('server', command));
  return stdout.split('\n').filter((line) => line !== '').length;
}
