// What the simulator advises is what the service would have hinted: random logs are told to a service over HTTP, whose
// clock is that of the log, and at each page of a person it is asked for hints.

import { expect, it } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import type { Access } from '../../../prefetchd/access.ts';
import {
  objectThresholdOf,
  prefetchdDefaults,
} from '../../../prefetchd/engine/prefetchd-options.ts';
import { saltAt, serviceAdvisor, tickMs } from '../../../prefetchd/simulate/advisors.ts';
import { simulateSettings } from '../../../prefetchd/simulate/simulate-options.ts';
import { accessOf, type Trace, traceOf } from '../../../prefetchd/simulate/trace.ts';
import type { Hint } from '../../../prefetchd/wire/hint.ts';
import { hintRank, hintRanks } from '../../../prefetchd/wire/hint.ts';
import { running } from '../service/ask.ts';

const { threshold, window, predictor } = prefetchdDefaults;
const objectThreshold = objectThresholdOf(threshold);
const dayMs = 86_400_000;

/** Visitors that fetch objects, robots that do not; pages of all kinds; pauses up to the end of eras. */
function randomTrace(seed: number): Trace {
  let state = seed;
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * below);
  };
  const pages = ['/', '/a', '/b', '/c', '/large', '/logout', '/cart', '/a?page=2', '/new'];
  const sizes = [900, 12_000, 30_000, 0, 150_000, 500, 500, 8_000, 60_000];
  const pauses = [0, 0, 500, 20_000, 20_000, 61_000, 40 * 60_000, 3_600_000, dayMs, 31 * dayMs];
  let timeMs = Date.UTC(2026, 0, 1);
  const accesses: Access[] = [];
  for (let step = 0; step < 300; step++) {
    timeMs += pauses[random(step % 50 === 49 ? pauses.length : 6)] as number;
    const visitor = random(9);
    // Of a visitor the last pages only; whoever is numbered from 7 fetches no object.
    const isObject = visitor < 7 && random(3) === 0;
    const page = random(pages.length);
    accesses.push({
      client: `198.51.100.${visitor >> 1} agent-${visitor}`,
      url: isObject ? `/${random(3)}.png` : (pages[page] as string),
      timeMs,
      kind: isObject ? 'object' : 'document',
      status: random(5) === 0 ? 304 : 200,
      bytes: isObject ? 4_000 : (sizes[page] as number),
      prefetch: false,
    });
  }
  return traceOf(accesses);
}

/** For each access the URLs of each rank. */
function advised(trace: Trace): string[][][] {
  const settings = simulateSettings({ rules: 'service' });
  const least = Math.min(threshold, objectThreshold);
  const advisor = serviceAdvisor(trace, { predictor, window, threshold: least, settings });
  return trace.accesses.map((access) =>
    advisor.learnAndAdvise(access).map((candidates, rank) => {
      const p = rank === 0 ? threshold : objectThreshold;
      return candidates.flatMap(({ file, probability }) => (probability > p ? [file.url] : []));
    }),
  );
}

it.each([1, 2, 3, 4])('hint for hint, random log %i', async (seed) => {
  const trace = randomTrace(seed);
  let nowMs = trace.accesses[0]?.timeMs ?? 0;
  await using service = await running({
    prefetchd: { minClients: 2, ...withConstants({ newSalt: saltAt }), now: () => nowMs },
    service: { now: () => nowMs },
  });
  let tickedMs = nowMs;
  let given = 0;
  const ranksOf = advised(trace);
  for (const [index, traced] of trace.accesses.entries()) {
    const access = accessOf(traced);
    let hints: Hint[] = [];
    const isAsked = access.kind === 'document' && traced.client.isPerson;
    // The hints of a page go out before it is learned, and before a clock that follows the log moves on.
    if (isAsked) {
      nowMs = access.timeMs;
      const query = new URLSearchParams({ url: access.url, client: access.client, limit: 'inf' });
      hints = (await service.get(`/v1/hints?${query}`)).json.hints;
    }
    for (const [rank, urls] of (ranksOf[index] ?? []).entries()) {
      const ofRank = hints.filter((hint) => hintRank(hint.kind, hint.navigation) === rank);
      expect(urls, `access ${index}`).toEqual(ofRank.map(({ url }) => url));
    }
    given += hints.length;
    nowMs = access.timeMs;
    if (nowMs - tickedMs >= tickMs) {
      tickedMs = nowMs;
      await service.prefetchd.flush();
    }
    await service.post('/v1/accesses', access);
  }
  expect(hintRanks.length).toBe(3);
  expect(given).toBeGreaterThan(20);
});
