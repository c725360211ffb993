// The four ways to have a site hinted, all at their defaults: middleware in Express, the proxy, nginx whose log teaches,
// and nginx whose mirror does.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createPrefetchd } from '../../prefetchd/index.ts';
import { hints } from '../../server/index.ts';
import { freePort } from '../support/command.ts';
import { salted } from '../support/known-salt.ts';
import { whyNoNginx } from '../support/nginx.ts';
import { servingPrefetchd } from '../support/prefetchd-command.ts';
import { learnedProbability } from './learned-probability.ts';
import { nginxLogSite } from './nginx-log-site.ts';
import { nginxMirrorSite } from './nginx-mirror-site.ts';
import { type Answer, startApp } from './nginx-set-up.ts';

export interface HintedSite extends AsyncDisposable {
  readonly url: string;
  /** Of `to` after `from`, for somebody new. */
  probability(from: string, to: string): Promise<number>;
  /** Resolves when each line of a log is learned or dropped. */
  caughtUp?(): Promise<void>;
}

export async function hintedSite(answer: Answer): Promise<HintedSite> {
  const prefetchd = createPrefetchd({ ...salted, load: () => 0 });
  const middleware = hints({ prefetchd });
  const app = express().use(middleware, (request, response) => answer(request, response));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    probability: async (url, to) =>
      prefetchd.hints({ url, threshold: 0, limit: null }).find((hint) => hint.url === to)
        ?.probability ?? 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await middleware.close();
      await prefetchd.close();
    },
  };
}

async function proxiedSite(answer: Answer, folder: string): Promise<HintedSite> {
  await using started = new AsyncDisposableStack();
  const app = started.use(await startApp(answer));
  const adminPort = await freePort();
  const { url } = started.use(
    await servingPrefetchd(folder, [
      ...['proxy', '--upstream', `http://${app.address}`, '--port', '0'],
      ...['--admin-port', `${adminPort}`],
    ]),
  );
  const stack = started.move();
  return {
    url,
    probability: (from, to) => learnedProbability(`http://127.0.0.1:${adminPort}`, from, to),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export type Way = 'hints()' | 'proxy' | 'nginx, whose log teaches' | 'nginx, whose mirror teaches';

/** Those that can be tried here. @param folder of the test */
export const ways = Object.entries({
  'hints()': hintedSite,
  proxy: proxiedSite,
  ...(whyNoNginx === '' && {
    'nginx, whose log teaches': (answer: Answer, folder: string) =>
      nginxLogSite(folder, { answer }),
    'nginx, whose mirror teaches': (answer: Answer, folder: string) =>
      nginxMirrorSite(folder, { answer }),
  }),
} satisfies Partial<Record<Way, unknown>>) as [
  Way,
  (answer: Answer, folder: string) => Promise<HintedSite>,
][];
