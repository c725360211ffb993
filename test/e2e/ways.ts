// The four ways to have a site hinted, all at their defaults: middleware in Express, the proxy, nginx whose log teaches,
// and nginx whose mirror does.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createPrefetchd } from '../../prefetchd/index.ts';
import { hints } from '../../server/index.ts';
import { salted } from '../support/known-salt.ts';
import { whyNoNginx } from '../support/nginx.ts';
import { type Answer, startApp } from './nginx-set-up.ts';
import { type HintedSite, learnedProbability, nginxSite } from './nginx-site.ts';
import { proxying } from './proxying.ts';

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
  const { url, admin } = started.use(await proxying(folder, `http://${app.address}`));
  const stack = started.move();
  return {
    url,
    probability: (from, to) => learnedProbability(admin, from, to),
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
      nginxSite(folder, { example: 'nginx.conf', answer }),
    'nginx, whose mirror teaches': (answer: Answer, folder: string) =>
      nginxSite(folder, { example: 'mirror.conf', answer }),
  }),
} satisfies Partial<Record<Way, unknown>>) as [
  Way,
  (answer: Answer, folder: string) => Promise<HintedSite>,
][];
