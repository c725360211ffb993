// Anybody can forge beacons. One address says no more with them than with page views (fair-share.ts), and what all
// visitors get because of them takes k addresses.

import { expect, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import type { Access } from '../../../prefetchd/access.ts';
import { Engine } from '../../../prefetchd/engine/engine.ts';
import type { PrefetchdOptions } from '../../../prefetchd/engine/prefetchd-options.ts';
import { salted } from '../../support/known-salt.ts';

const t0 = Date.UTC(2026, 0, 1);
const said = { timeMs: t0, kind: 'document', status: 200, bytes: 0, prefetch: false } as const;
const took = { ttfbMs: 1, fcpMs: 1, lcpMs: 1, inpMs: 1 };

function made(options: PrefetchdOptions = {}): Engine {
  const engine = new Engine({ now: () => t0, load: () => 0, ...salted, ...options });
  for (let visitor = 0; visitor < 9; visitor++) {
    const client = `192.0.2.${visitor} Firefox`;
    for (const url of ['/', '/news']) engine.observe({ ...said, client, url, bytes: 1000 });
  }
  return engine;
}

const says = (engine: Engine, client: string, url: string, more: Partial<Access> = {}) =>
  engine.observe({ ...said, client, url, shown: true, tellsShown: true, ...more });

test('k addresses must say that a page has the beacon before it may be prerendered', async () => {
  for (const minClients of [1, 2, 3]) {
    await using engine = made({ minClients });
    const hasBeacon = () => engine.hints({ url: '/' })[0]?.hasBeacon === true;
    const answers = ['a', 'b', 'c'].map((name, at) => {
      for (let n = 0; n < 9; n++) says(engine, `198.51.100.${at} ${name}${n}`, '/news');
      return hasBeacon();
    });
    expect(answers).toEqual([1, 2, 3].map((addresses) => addresses >= minClients));
  }
});

test('an address says a few times a day how long a page took, and that it is shown', async () => {
  await using engine = made({ holdback: 50 });
  const counted = () => {
    const [all] = engine.report()?.all ?? [];
    const { hinted = 0, heldBack = 0 } = all?.navigations ?? {};
    return hinted + heldBack;
  };
  const visitors = () => {
    const { hinted = 0, heldBack = 0 } = engine.report()?.visitors ?? {};
    return hinted + heldBack;
  };
  for (let n = 0; n < 50; n++) {
    const client = `198.51.100.1 forged ${n % 25}`;
    says(engine, client, '/news', { page: '/' });
    engine.observe({ ...said, client, url: '/news', page: '/', vitals: took });
  }
  expect([counted(), visitors()]).toEqual([4, 4]);
  says(engine, '198.51.100.2 honest', '/news', { page: '/' });
  engine.observe({ ...said, client: '198.51.100.2 honest', url: '/news', page: '/', vitals: took });
  expect([counted(), visitors()]).toEqual([5, 5]);
});

test('beacons take nothing from what an address may teach by its requests', async () => {
  await using engine = made(withConstants({ maxAccessesPerDay: 10 }));
  const client = '198.51.100.1 Firefox';
  for (let n = 0; n < 20; n++) says(engine, client, '/news');
  expect(engine.observe({ ...said, client, url: '/', bytes: 1 })).toBeNull();
});
