// A page that came some pages later, and never next, is hinted where a browser still has it by then.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../prefetchd/engine/engine.ts';
import { createGraphStore } from '../../../prefetchd/index.ts';
import { predictorNames } from '../../../prefetchd/model/index.ts';
import { folderOfTest } from '../../support/folder-of-tests.ts';
import { made, nowMs, visit } from './visits.ts';

interface Way {
  freshMs?: number;
  first?: number;
}

/** Three visitors go this way; a URL with another host is there. */
function teach(prefetchd: Engine, urls: readonly string[], { freshMs, first = 1 }: Way = {}) {
  for (const visitor of [first, first + 1, first + 2]) {
    for (const url of urls) {
      const [host = '', path = ''] = url.startsWith('/')
        ? ['site.example', url]
        : url.split(/(?=\/)/);
      visit(prefetchd, visitor, path, { host, ...(freshMs !== undefined && { freshMs }) });
    }
  }
}

const hinted = (prefetchd: Engine, url: string) =>
  prefetchd
    .hints({ url, timeMs: nowMs(), host: 'site.example' })
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
    const folder = folderOfTest();
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
