// A remote prefetchd for the tests of hints: the real service, or one that says what a test tells it to.

import { withConstants } from '../../../options/options.ts';
import { createPrefetchd, type PrefetchdOptions } from '../../../prefetchd/index.ts';
import { createService, type ListenOptions } from '../../../prefetchd/service/index.ts';
import type { HintsOptions } from '../../../server/index.ts';
import { eventually } from '../../support/eventually.ts';
import { salted } from '../../support/known-salt.ts';
import { response } from '../../support/raw-server.ts';
import { calm, type Site, site } from './set-up.ts';

export const toB = '</b>; rel=prefetch; probability=1';
/** In tests the deadline is long: they ask what is sent, not how fast. */
export const patient = withConstants({ deadlineMs: 1000 });

export async function service(
  where: ListenOptions = { port: 0 },
  token: string | null = null,
  options: PrefetchdOptions = {},
) {
  const prefetchd = createPrefetchd({ load: () => 0, ...salted, ...options });
  const served = createService(prefetchd, { token, ...withConstants({ closeTimeoutMs: 100 }) });
  const { url } = await served.listen(where);
  return {
    url,
    prefetchd,
    async [Symbol.asyncDispose]() {
      await served.close();
      await prefetchd.close();
    },
  };
}

/** Nothing tells when a batch was learned but that it was. */
export const delivered = (shop: Site, count: number) =>
  eventually(() => shop.prefetch.stats().remote?.delivered === count, 'it is delivered');

export const hintOf = (url: string) => ({ url, probability: 0.9, kind: 'document' });
export const json = (value: unknown) =>
  response(JSON.stringify(value), { 'Content-Type': 'application/json' });

/** A site whose hints come from the real service, which is its `remote`. */
export async function remoteSite(
  options: HintsOptions = {},
  routes?: Parameters<typeof site>[1],
  settings?: PrefetchdOptions,
) {
  const remote = await service(undefined, null, settings);
  const shop = await site({ prefetchd: remote.url, ...patient, ...options }, routes);
  await shop.prefetch.ready;
  return {
    ...shop,
    remote: remote.prefetchd,
    async [Symbol.asyncDispose]() {
      await shop[Symbol.asyncDispose]();
      await remote[Symbol.asyncDispose]();
    },
  };
}

/** A site and its prefetchd, which is in its process or a remote one. */
export async function siteWith(where: 'in process' | 'remote', settings: PrefetchdOptions) {
  if (where === 'in process') {
    const prefetchd = calm(settings);
    return Object.assign(await site({ prefetchd }), { prefetchd });
  }
  const shop = await remoteSite({}, undefined, settings);
  return Object.assign(shop, { prefetchd: shop.remote });
}
