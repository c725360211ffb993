// How i is shared between the pages that come next and what the page shown embeds, where the predictor can tell
// the two apart.

import { expect, test } from 'vitest';
import type { Prefetchd } from '../../../prefetchd/engine/prefetchd.ts';
import type { PredictorName } from '../../../prefetchd/model/index.ts';
import { kindOfPath } from '../../../prefetchd/rules/access-kind.ts';
import { started } from './visits.ts';

const nowMs = Date.UTC(2026, 0, 1);
const own = ['/a1.png', '/a2.png', '/a3.png'];
const ofNext = ['/b1.png', '/b2.png', '/b3.png'];

/** Ten visitors went from /a to /b, seven of them further to /c; each page with its pictures. */
function taught(predictor: PredictorName): Prefetchd {
  const prefetchd = started({ predictor, window: 4, now: () => nowMs });
  for (let visitor = 0; visitor < 10; visitor++) {
    for (const url of ['/a', ...own, '/b', ...ofNext, ...(visitor < 7 ? ['/c'] : [])]) {
      const kind = kindOfPath(url);
      const client = `192.0.2.${visitor} Browser`;
      const rest = { kind, status: 200, bytes: 1000, prefetch: false };
      prefetchd.observe({ client, url, timeMs: nowMs, ...rest });
    }
  }
  return prefetchd;
}

const urlsOf = (hints: { url: string }[]) => hints.map(({ url }) => url);

test('pages that come next go before all objects, and what the page shown embeds goes last', () => {
  const prefetchd = taught('double-graph');
  const named = (limit: number) => urlsOf(prefetchd.hints({ url: '/a', limit })).toSorted();
  expect(named(1)).toEqual(['/b']);
  expect(named(2)).toEqual(['/b', '/c']);
  expect(named(5)).toEqual([...ofNext, '/b', '/c'].toSorted());
  expect(named(7).filter((url) => own.includes(url))).toHaveLength(2);
});

test('asked for one kind alone: the likeliest pages; objects of the page shown before others', () => {
  const prefetchd = taught('double-graph');
  expect(urlsOf(prefetchd.hints({ url: '/a', limit: 2, kind: 'document' }))).toEqual(['/b', '/c']);
  const objects = (limit: number) =>
    urlsOf(prefetchd.hints({ url: '/a', limit, kind: 'object' })).toSorted();
  expect(objects(3)).toEqual(own);
  expect(objects(9)).toEqual([...own, ...ofNext]);
});
