// Figures 2 and 3: throughput by the length of a connection, for several windows (Padmanabhan 1995, 3.2). The window is
// set by the client's receive buffer; segment size and the server's first window are set on the routes.

import { fileURLToPath } from 'node:url';
import { Link, type LinkSettings } from '../link/link.ts';
import { LineProcess, run } from '../processes.ts';
import type { Transfer } from './byte-client.ts';

export interface WindowSetting {
  name: string;
  /** Most that the receiver advertises, bytes. */
  windowBytes: number;
  /** Of TCP, bytes; absent: 1,460. */
  segmentBytes?: number;
  /** Segments that a sender may send first; absent: the kernel's ten. */
  firstWindow?: number;
}

const kib = 1024;
export const windows: readonly WindowSetting[] = [
  ...[4, 8, 16, 64].map((size) => ({ name: `${size} KB`, windowBytes: size * kib })),
  { name: '16 KB, first window 1', windowBytes: 16 * kib, firstWindow: 1 },
  {
    name: '16 KB, first window 1, segments of 536 B',
    ...{ windowBytes: 16 * kib, firstWindow: 1, segmentBytes: 536 },
  },
];

export const lengths = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].map((size) => size * kib);

const paperTransfers: Transfers = { windows, lengths };

export interface Throughput {
  window: string;
  bytes: number;
  /** Of each round: thousands of bytes a second. */
  kBPerS: number[];
}

const port = 90;
const serverFile = fileURLToPath(new URL('byte-server.ts', import.meta.url));
const clientFile = fileURLToPath(new URL('byte-client.ts', import.meta.url));

export interface Transfers {
  windows: readonly WindowSetting[];
  lengths: readonly number[];
  /** What the server works for each connection before it answers, ms. */
  connectionMs?: number;
  /** Settings of the kernel at both ends, by name. */
  kernel?: Readonly<Record<string, string>>;
}

export async function throughputs(
  settings: LinkSettings,
  rounds: number,
  say: (line: string) => void,
  { windows, lengths, connectionMs = 0, kernel = {} }: Transfers = paperTransfers,
): Promise<Throughput[]> {
  await using link = await Link.open(settings);
  for (const [name, value] of Object.entries(kernel)) {
    await link.setKernel('client', name, value);
    await link.setKernel('server', name, value);
  }
  const command = [process.execPath, serverFile, String(port), String(connectionMs)];
  await using server = new LineProcess(...link.at('server', command));
  await server.nextLine();
  await using client = new LineProcess(...link.at('client', [process.execPath, clientFile]));
  const transfer = async (bytes: number): Promise<number> => {
    const wanted: Transfer = { host: link.serverAddress, port, bytes };
    client.send(JSON.stringify(wanted));
    return Number(await client.nextLine(120_000));
  };
  const results = windows.flatMap(({ name }) =>
    lengths.map((bytes): Throughput => ({ window: name, bytes, kBPerS: [] })),
  );
  for (let round = 0; round <= rounds; round++) {
    for (const window of windows) {
      await setRoutes(link, window);
      // The first round is for the processes to warm up.
      if (round === 0) await transfer(20 * kib);
      for (const result of results) {
        if (round === 0 || result.window !== window.name) continue;
        result.kBPerS.push(result.bytes / (await transfer(result.bytes)));
      }
    }
    if (round > 0) say(`round ${round} of ${rounds}`);
  }
  return results;
}

async function setRoutes(link: Link, window: WindowSetting): Promise<void> {
  const { windowBytes, segmentBytes = 1460, firstWindow = 10 } = window;
  // The window of a route is only where the kernel starts. It advertises half of the buffer at first.
  const buffer = 2 * windowBytes;
  const memory = `net.ipv4.tcp_rmem=${Math.min(4096, buffer)} ${buffer} ${buffer}`;
  await run(...link.at('client', ['sysctl', '-qw', memory]));
  await setRoute(link, 'client', ['advmss', segmentBytes]);
  await setRoute(link, 'server', ['initcwnd', firstWindow]);
}

async function setRoute(
  link: Link,
  end: 'client' | 'server',
  options: Array<string | number>,
): Promise<void> {
  const { stdout } = await run(...link.at(end, ['ip', '-o', 'route', 'show', 'scope', 'link']));
  const [network = '', , device = ''] = stdout.split(' ');
  const source = /\bsrc (\S+)/.exec(stdout)?.[1] ?? '';
  const route = ['ip', 'route', 'replace', network, 'dev', device, 'proto', 'kernel'];
  await run(...link.at(end, [...route, 'scope', 'link', 'src', source, ...options.map(String)]));
}
