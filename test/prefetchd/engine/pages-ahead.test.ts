// A page that came some pages later, and never next, is hinted where a browser still has it by then.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import {
  createGraphStore,
  createPrefetchd,
  type PrefetchdOptions,
} from '../../../prefetchd/index.ts';
import { predictorNames } from '../../../prefetchd/model/index.ts';
import { knownSalt } from '../../support/known-salt.ts';

const made = (options: PrefetchdOptions = {}) =>
  createPrefetchd({
    load: () => 0,
    ...withConstants({ newSalt: knownSalt, requireObjects: false }),
    ...options,
  });

type Made = ReturnType<typeof made>;

let timeMs = Date.now();

interface Way {
  freshMs?: number;
  first?: number;
}

/** Three visitors go this way; a URL with another host is there. */
function teach(prefetchd: Made, urls: readonly string[], { freshMs, first = 1 }: Way = {}) {
  for (const visitor of [first, first + 1, first + 2]) {
    for (const url of urls) {
      timeMs += 1000;
      const [host, path] = url.startsWith('/') ? ['site.example', url] : url.split(/(?=\/)/);
      prefetchd.observe({
        ...{ client: `192.0.2.${visitor} Browser`, url: path as string, timeMs, status: 200 },
        ...{ kind: 'document', bytes: 100, prefetch: false, host: host as string },
        ...(freshMs !== undefined && { freshMs }),
      });
    }
  }
}

const hinted = (prefetchd: Made, url: string) =>
  prefetchd
    .hints({ url, timeMs, host: 'site.example' })
    .map((hint) => hint.url)
    .sort();

const inOrder = ['/', '/2', '/3', '/4'];

describe.each(predictorNames)('%s: a page some pages ahead', (predictor) => {
  it('is hinted once it is next, if a browser drops it before', async () => {
    await using prefetchd = made({ predictor });
    teach(prefetchd, inOrder, { freshMs: 0 });
    expect([hinted(prefetchd, '/'), hinted(prefetchd, '/2')]).toEqual([['/2'], ['/3']]);
  });

  it.each([undefined, 300_000])('is hinted at once, with a lifetime of %s ms', async (freshMs) => {
    await using prefetchd = made({ predictor });
    teach(prefetchd, inOrder, freshMs === undefined ? {} : { freshMs });
    expect(hinted(prefetchd, '/')).toEqual(['/2', '/3', '/4']);
  });

  it('is hinted at once if somebody went there directly', async () => {
    await using prefetchd = made({ predictor });
    teach(prefetchd, inOrder, { freshMs: 0 });
    teach(prefetchd, ['/', '/3'], { freshMs: 0, first: 4 });
    expect(hinted(prefetchd, '/')).toEqual(['/2', '/3']);
  });

  it('is no page ahead for a tab on another host', async () => {
    await using prefetchd = made({ predictor });
    teach(prefetchd, ['/', 'other.example/x', '/2', 'other.example/y', '/3'], { freshMs: 0 });
    expect([hinted(prefetchd, '/'), hinted(prefetchd, '/2')]).toEqual([['/2'], ['/3']]);
  });

  it('is the same after a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pages-ahead-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const location = `sqlite:${join(folder, 'hints.db')}`;
    {
      await using before = made({ predictor, store: await createGraphStore(location) });
      await before.ready;
      teach(before, inOrder, { freshMs: 0 });
    }
    await using after = made({ predictor, store: await createGraphStore(location) });
    await after.ready;
    expect([hinted(after, '/'), hinted(after, '/2')]).toEqual([['/2'], ['/3']]);
    teach(after, inOrder, { freshMs: 300_000, first: 4 });
    expect(hinted(after, '/')).toEqual(['/2', '/3', '/4']);
  });
});
