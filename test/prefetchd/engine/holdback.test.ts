// Visitors who are held back get no hints, and what the others' browsers tell is compared with what theirs do.

import { describe, expect, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import type { Access } from '../../../prefetchd/access.ts';
import { Engine } from '../../../prefetchd/engine/engine.ts';
import type { PrefetchdOptions } from '../../../prefetchd/engine/prefetchd-options.ts';
import { knownSalt, salted } from '../../support/known-salt.ts';

const t0 = Date.UTC(2026, 0, 1);

function engine(options: PrefetchdOptions = {}): Engine {
  const given = { now: () => t0, load: () => 0, ...salted, holdback: 50, ...options };
  const made = new Engine(given);
  for (let visitor = 0; visitor < 9; visitor++) {
    const client = `192.0.2.${visitor} Firefox`;
    for (const url of ['/', '/font.woff2', '/news']) made.observe(access(client, url));
  }
  return made;
}

const access = (client: string, url: string, more: Partial<Access> = {}): Access => ({
  ...{ client, url, timeMs: t0, status: 200, bytes: 1000, prefetch: false },
  kind: url.includes('.') ? 'object' : 'document',
  ...more,
});

/** The first of these that is, and that is not held back. */
function twoArms(made: Engine) {
  const clients = Array.from({ length: 50 }, (_, at) => `198.51.100.${at} Firefox`);
  const heldBack = clients.find((client) => made.isHeldBack(client)) ?? '';
  const hinted = clients.find((client) => !made.isHeldBack(client)) ?? '';
  return { heldBack, hinted };
}

const tells = (client: string, url: string, more: Partial<Access>) =>
  access(client, url, { bytes: 0, shown: true, tellsShown: true, ...more });

describe('hints', () => {
  test('of a visitor held back are none but objects of the page itself', async () => {
    await using made = engine();
    const { heldBack, hinted } = twoArms(made);
    const kindsOf = (client: string) =>
      made.hints({ url: '/', client }).map(({ kind, navigation }) => navigation ?? kind);
    expect(kindsOf(hinted)).toContain('document');
    expect(kindsOf(heldBack)).toEqual(['current']);
    expect(made.hints({ url: '/', client: heldBack, kind: 'document' })).toEqual([]);
  });

  test('of a response that serves several visitors name pages for rules alone', async () => {
    await using made = engine();
    const { heldBack, hinted } = twoArms(made);
    for (const client of [heldBack, hinted]) {
      const pages = made
        .hints({ url: '/', client, isShared: true })
        .filter(({ kind }) => kind === 'document');
      expect(pages).toMatchObject([{ url: '/news', byRulesOnly: true }]);
    }
  });

  test('without a holdback are for all', async () => {
    await using made = engine({ holdback: null });
    const clients = Array.from({ length: 50 }, (_, at) => `198.51.100.${at} Firefox`);
    expect(clients.some((client) => made.isHeldBack(client))).toBe(false);
    expect(made.hints({ url: '/', isShared: true })[0]).not.toHaveProperty('byRulesOnly');
    expect(made.report()).toBeNull();
  });
});

test('about as many are held back as asked, others on another day', async () => {
  await using made = engine({ holdback: 10 });
  const clients = Array.from({ length: 2000 }, (_, at) => `10.0.${at % 250}.${at} Firefox`);
  const held = clients.filter((client) => made.isHeldBack(client)).length;
  // Four standard deviations.
  expect(Math.abs(held - 200)).toBeLessThan(54);
  await using other = engine({
    holdback: 10,
    ...withConstants({ newSalt: () => ({ ...knownSalt(t0), bytes: Buffer.alloc(32, 7) }) }),
  });
  const both = clients.filter((client) => made.isHeldBack(client) && other.isHeldBack(client));
  expect(both.length).toBeLessThan(60);
});

describe('the report', () => {
  /** A visit of two pages, as beacons tell it. */
  function walk(made: Engine, client: string, to: string, ttfbMs: number): void {
    made.observe(tells(client, '/', {}));
    made.hints({ url: '/', client, isShown: true });
    made.observe(access(client, to, { bytes: client.includes('Mobile') ? 500 : 1000 }));
    made.observe(tells(client, to, { page: '/' }));
    const vitals = { ttfbMs, fcpMs: null, lcpMs: 2 * ttfbMs, inpMs: ttfbMs / 2 };
    made.observe(access(client, to, { bytes: 0, page: '/', vitals }));
  }

  function walked(): Engine {
    const made = engine();
    for (let at = 0; at < 800; at++) {
      const client = `203.0.${at % 113}.${at} ${at % 4 === 0 ? 'Chrome Mobile' : 'Chrome'}`;
      walk(made, client, '/news', made.isHeldBack(client) ? 300 + (at % 50) : 20 + (at % 50));
      walk(made, client, `/rare-${at}`, 500);
    }
    return made;
  }

  test('compares hinted navigations with those that would have been', async () => {
    await using made = walked();
    const report = made.report();
    expect(report).toMatchObject({ percent: 50, verdict: 'faster', isUneven: false });
    const { hinted, heldBack } = report?.visitors ?? { hinted: 0, heldBack: 0 };
    expect(hinted + heldBack).toBe(800);
    const [all, desktop, mobile] = report?.hinted ?? [];
    expect(all?.navigations).toEqual({ hinted, heldBack });
    expect((mobile?.navigations.hinted ?? 0) + (mobile?.navigations.heldBack ?? 0)).toBe(200);
    expect((desktop?.navigations.hinted ?? 0) + (desktop?.navigations.heldBack ?? 0)).toBe(600);
    const measures = Object.fromEntries((all?.measures ?? []).map((one) => [one.of, one]));
    expect(measures.instant).toMatchObject({ hinted: 1, heldBack: 0, difference: 1 });
    expect(Math.abs((measures.ttfb?.difference ?? 0) + 280)).toBeLessThan(20);
    expect(Math.abs((measures.lcp?.difference ?? 0) + 560)).toBeLessThan(40);
    expect(Math.abs((measures.inp?.difference ?? 0) + 140)).toBeLessThan(10);
    expect(measures.fcp).toMatchObject({ hinted: null, difference: null, isEarly: true });
    // What was not hinted counts among all alone.
    expect(report?.all[0]?.navigations).toEqual({ hinted: 2 * hinted, heldBack: 2 * heldBack });
    // Of four pages shown, two were sent.
    const bytes = (report?.bytesPerPage ?? []).map(({ device, hinted, heldBack }) => [
      ...[device, Math.round(hinted ?? 0), Math.round(heldBack ?? 0)],
    ]);
    expect(bytes.slice(1)).toEqual([
      ['desktop', 500, 500],
      ['mobile', 250, 250],
    ]);
    expect(Math.abs(Number(bytes[0]?.[1]) - 437)).toBeLessThan(20);
  });

  test('goes on from a file', async () => {
    await using before = walked();
    const text = before.holdback?.state() ?? '';
    await using after = engine();
    expect(after.holdback?.restore(text)).toBeNull();
    expect(after.report()).toEqual(before.report());
    await using other = engine({ holdback: 10 });
    expect(other.holdback?.restore(text)).toBe('is of a holdback of 50 %');
    const short = JSON.stringify({ ...JSON.parse(text), sums: { 'hinted desktop bytes': [1] } });
    for (const damaged of ['', '{}', '{"format":2}', 'null', '[1]', text.slice(0, -9), short]) {
      expect(after.holdback?.restore(damaged)).toBe('is damaged');
    }
    expect(after.report()).toEqual(before.report());
  });

  test('is too early with few visitors, and says if one group is too small', async () => {
    await using made = engine();
    const { hinted } = twoArms(made);
    walk(made, hinted, '/news', 20);
    expect(made.report()).toMatchObject({ verdict: 'too early', isUneven: false });
    const clients = Array.from({ length: 400 }, (_, at) => `203.0.113.${at} Chrome`);
    for (const client of clients) if (!made.isHeldBack(client)) walk(made, client, '/news', 20);
    expect(made.report()).toMatchObject({ verdict: 'too early', isUneven: true });
  });

  test('counts nothing of clients without a beacon, and nothing forged beside one', async () => {
    await using made = engine();
    const vitals = { ttfbMs: 1, fcpMs: 1, lcpMs: 1, inpMs: 1 };
    made.observe(access('203.0.113.9 Chrome', '/news', { page: '/', vitals }));
    expect(made.report()).toMatchObject({ visitors: { hinted: 0, heldBack: 0 } });
    expect(made.report()?.all[0]?.navigations).toEqual({ hinted: 0, heldBack: 0 });
  });
});
