// What a URL is, a page or an object, is decided by all its requests, not by the last one.

import { describe, expect, it } from 'vitest';
import type { AccessKind } from '../../../prefetchd/access.ts';
import type { Engine } from '../../../prefetchd/engine/engine.ts';
import { made, visit } from './visits.ts';

const ask = (engine: Engine, visitor: number, kind: AccessKind, url: string) =>
  visit(engine, visitor, url, { kind });

function visits(prefetchd: Engine, visitors: number, ...urls: string[]) {
  for (let visitor = 1; visitor <= visitors; visitor++) {
    for (const url of urls) ask(prefetchd, visitor, 'document', url);
  }
}

const hinted = (prefetchd: Engine) =>
  prefetchd.hints({ url: '/', kind: 'document' }).map(({ url }) => url);

describe('a page that visitors open', () => {
  it('stays one, however often one visitor fetches it', async () => {
    await using prefetchd = made();
    visits(prefetchd, 4, '/', '/news');
    for (let time = 0; time < 100; time++) ask(prefetchd, 200, 'object', '/news');
    expect(hinted(prefetchd)).toEqual(['/news']);
  });

  it('is told from one that is embedded, of which an opening is no visit', async () => {
    await using prefetchd = made();
    for (let visitor = 1; visitor <= 40; visitor++) {
      ask(prefetchd, visitor, 'document', '/');
      ask(prefetchd, visitor, 'object', '/photo');
    }
    for (const visitor of [50, 51, 52])
      expect(ask(prefetchd, visitor, 'document', '/photo')).toBe('not-page');
    expect(hinted(prefetchd)).toEqual([]);
  });

  it('is one from the first visitors on who open what a script had fetched', async () => {
    await using prefetchd = made();
    ask(prefetchd, 9, 'object', '/news');
    visits(prefetchd, 4, '/', '/news');
    expect(hinted(prefetchd)).toEqual(['/news']);
  });
});
