// No words of the waterfall are over its bars, its lines, other words, or the edge: for page loads of any size and
// speed, and for any that the record's types allow.

import { describe, expect, it } from 'vitest';
import { loaderErrorCodes } from '../../../loader/errors.ts';
import type { PageLoad, PageTiming, ResourceRecord } from '../../../loader/page-load.ts';
import { renderWaterfallSvg } from '../../../loader/report/waterfall-svg.ts';
import fc from '../../support/property.ts';
import { anyPageLoad } from './page-load-arbitrary.ts';
import { origin, pageLoad, resource } from './page-load-builder.ts';
import { sampleLoads } from './sample-loads.ts';
import { faultsOf } from './svg-boxes.ts';

/** `count` rows over the time from 0 to `wholeMs`, each from the start to an end of its own. */
function rowsUntil(wholeMs: number, count: number, given: Partial<ResourceRecord> = {}): PageLoad {
  const resources = Array.from({ length: count }, (_, i) =>
    resource({
      url: `${origin}/row-${i}`,
      requestStartMs: 0,
      responseStartMs: wholeMs / 2,
      responseEndMs: (wholeMs * (count - i)) / count,
      connection: 1,
      pipelineIndex: i,
      batch: 1,
      ...given,
    }),
  );
  return pageLoad({ resources, moments: { sizesKnownMs: wholeMs * 0.99 } });
}

function momentsAt(...[firstByteMs, htmlEndMs, sizesKnownMs, completeMs]: number[]): PageLoad {
  const moments = { firstByteMs, htmlEndMs, sizesKnownMs, completeMs } as PageTiming;
  return pageLoad({ resources: rowsUntil(100, 3).resources, moments });
}

const failures = loaderErrorCodes.map((code, i) => {
  const came = i % 2 === 0 ? { responseEndMs: i + 30 } : { status: null, connection: null };
  return resource({ startMs: i, requestStartMs: i + 1, ...came, error: { code, message: code } });
});

const loads: Record<string, PageLoad> = {
  ...sampleLoads,
  'URLs of 2,000 characters': rowsUntil(50, 4, { url: `${origin}/${'Wide%20'.repeat(300)}` }),
  'narrow letters only': rowsUntil(50, 4, { url: `${origin}/${'il.'.repeat(300)}` }),
  'capitals only': rowsUntil(50, 4, { url: `${origin}/${'OQ^'.repeat(300)}` }),
  'rows over the whole width': rowsUntil(80, 5, { responseEndMs: 80 }),
  '1 ms in all': rowsUntil(1, 9),
  'a microsecond in all': rowsUntil(0.001, 3),
  'next to no time at all': rowsUntil(0.0004, 3),
  '100 s in all': rowsUntil(100_000, 9),
  'a day in all': rowsUntil(86_400_000, 9),
  'every failure': pageLoad({ resources: failures }),
  'rows of 0 ms': rowsUntil(0, 7, { requestStartMs: null, responseStartMs: null, fromCache: true }),
  'rows of 0 ms among others': pageLoad({
    resources: [
      ...rowsUntil(60, 2).resources,
      ...[0, 30, 60].map((ms) => resource({ startMs: ms, responseEndMs: ms, fromCache: true })),
    ],
  }),
  'large numbers': rowsUntil(30, 3, {
    connection: 1234,
    pipelineIndex: 56_789,
    batch: 123_456,
    transferBytes: 99_900_000_000,
  }),
  'all moments at the start': momentsAt(0, 0, 0, 0),
  'all moments at the end': momentsAt(100, 100, 100, 100),
  'moments close before the end': momentsAt(70, 76, 82, 100),
  'moments in the middle': momentsAt(48, 50, 51, 52),
};

describe('renderWaterfallSvg', () => {
  it.each(Object.keys(loads))('writes nothing over anything: %s', (name) => {
    expect(faultsOf(renderWaterfallSvg(loads[name] as PageLoad))).toEqual([]);
  });

  it('writes nothing over anything for any page load', () => {
    fc.assert(
      fc.property(anyPageLoad, (load) => {
        expect(faultsOf(renderWaterfallSvg(load))).toEqual([]);
      }),
    );
  });
});
