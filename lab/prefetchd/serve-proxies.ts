// Reverse proxies in front of the same small site: this one with and without hints, the bare library it is built on,
// and nginx.

import type { BenchResult } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { spreadOf } from '../spread.ts';
import { oneCore } from './one-core.ts';
import {
  type FrontSample,
  type FrontServer,
  frontColumns,
  frontMethod,
  frontRow,
  frontServer,
  inTurns,
  timesAsMany,
} from './serve-front.ts';
import { hasNginx, proxyNginx, siteNginx } from './serve-nginx.ts';

export interface ProxiesBenchSettings {
  rounds: number;
  say: (line: string) => void;
}

const name = 'prefetchd-proxy';
const title = 'The reverse proxy';
const kinds = {
  createProxy: 'proxy',
  'createProxy with hints()': 'proxy hints',
  'createProxy with hints(), never too busy': 'proxy hints always',
  httpxy: 'httpxy',
} as const;

export async function proxiesBench({ rounds, say }: ProxiesBenchSettings): Promise<BenchResult> {
  if (!hasNginx) {
    const skipped = 'nginx, which is the site and one of the proxies, is not installed';
    return { name, title, method: [], tables: [], targets: [], skipped };
  }
  using scratch = new Scratch();
  await using stack = new AsyncDisposableStack();
  const site = stack.use(await siteNginx(scratch.path));
  const servers: FrontServer[] = [];
  for (const [each, kind] of Object.entries(kinds)) {
    servers.push(
      stack.use(await frontServer(each, kind, { upstream: `http://127.0.0.1:${site.port}` })),
    );
  }
  servers.push(stack.use(await proxyNginx(scratch.path, site.port)));
  const samples = await inTurns(servers, rounds, say);
  const over = (list: FrontSample[], base: string) =>
    spreadOf(timesAsMany(list, samples.get(base) as FrontSample[]));
  return {
    name,
    title,
    method: [
      `In front of nginx, which answers any path with 1,000 bytes of HTML and shares the first core with what asks, stand five in turns. They are \`createProxy\` without handlers; with \`hints()\`, which works for ever fewer visitors while the event loop is busy for four fifths of the time; with \`hints()\` that is never too busy; httpxy alone, a library for proxies, with a keep-alive agent and X-Forwarded fields, without our checks, limits and retries; and nginx as a proxy, one process (its most is that of the first core, where the site and what asks are busier than it). All ${oneCore}, connections to the site kept, ${rounds} rounds. ${frontMethod}`,
    ],
    tables: [
      {
        title: '',
        columns: [
          ...frontColumns,
          { name: 'x httpxy', meaning: 'most k/s over that of httpxy, round by round' },
          { name: 'x nginx', meaning: 'most k/s over that of nginx, round by round' },
        ],
        rows: [...samples].map(([each, list]) => [
          ...frontRow(each, list),
          over(list, 'httpxy'),
          over(list, 'nginx'),
        ]),
      },
    ],
    targets: [],
  };
}
