// The three networks of the paper (Nielsen, Gettys et al. 1997, Table 1) and a leased line of the time, with the
// programs at their ends: nginx or another server at the far end, a worker with the loader at the near end.

import { fileURLToPath } from 'node:url';
import { Link, type LinkSettings } from '../link/link.ts';
import { LineProcess } from '../processes.ts';
import { Scratch } from '../scratch.ts';
import { startNginx } from './nginx.ts';
import type { PageFolder } from './page-folder.ts';
import type { Place } from './ways.ts';

const fast = { downBitsPerSecond: 10e6, upBitsPerSecond: 10e6, queuePackets: 1000 };
const t1 = { downBitsPerSecond: 1.544e6, upBitsPerSecond: 1.544e6, queuePackets: 200 };
const modem = { downBitsPerSecond: 28_800, upBitsPerSecond: 28_800, queuePackets: 100 };

export const links = {
  wan: { name: 'WAN, 2 x 45 ms, 10 Mbit/s', delayMs: 45, ...fast },
  lan: { name: 'LAN, 2 x 0.3 ms, 10 Mbit/s', delayMs: 0.3, ...fast },
  t1: { name: 'T1, 2 x 35 ms, 1.544 Mbit/s', delayMs: 35, ...t1 },
  ppp: { name: 'PPP, 2 x 75 ms, 28.8 kbit/s', delayMs: 75, ...modem },
} satisfies Record<string, LinkSettings>;

export const loadWorkerFile = fileURLToPath(new URL('load-worker.ts', import.meta.url));

/** Starts what serves a page's folder at the far end, on the ports of nginx.ts. It ends with its block. */
export type StartServer = (link: Link, folder: string, scratch: string) => Promise<AsyncDisposable>;

/** What `measure` is run on comes up before it and is gone after it, whatever it does. */
export async function onLink<T>(
  settings: LinkSettings,
  page: PageFolder,
  measure: (place: Place) => Promise<T>,
  start: StartServer = startNginx,
): Promise<T> {
  using scratch = new Scratch();
  await using link = await Link.open(settings);
  await using _server = await start(link, page.folder, scratch.path);
  await using worker = new LineProcess(...link.at('client', [process.execPath, loadWorkerFile]));
  return await measure({ link, worker, page });
}
