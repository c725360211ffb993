// Shared dictionaries in a proxy: the site behind it knows nothing of them.

import { expect, it } from 'vitest';
import { createProxy, dictionaries } from '../../../server/index.ts';
import { eventually } from '../../support/eventually.ts';
import { serveSite } from '../site.ts';
import { fromDcz, get, having, pageOf, takesDcz } from './pages.ts';

it.each([
  ['that compresses', 'gzip, zstd, dcz'],
  ['that does not', 'dcz'],
])('pages of a site %s are sent as differences', async (_, codings) => {
  const [one, two] = [pageOf('1'), pageOf('2')];
  await using site = await serveSite({ 'a/1.html': one, 'a/2.html': two }, { maxAgeSeconds: 60 });
  const shelf = dictionaries();
  await using proxy = createProxy({ upstream: site.url, handlers: [shelf] });
  const { port } = await proxy.listen();
  const asked = { ...takesDcz, 'accept-encoding': codings };
  const first = await get(port, '/a/1.html', asked);
  expect(first.headers['use-as-dictionary']).toContain('match="/a/*"');
  // A page that comes compressed is one when it is unpacked.
  await eventually(() => shelf.stats().dictionaries === 1, 'the page is a dictionary');
  const second = await get(port, '/a/2.html', { ...having(one), ...asked });
  expect(second.headers['content-encoding']).toBe('dcz');
  expect(fromDcz(second, one)).toBe(two);
  expect(shelf.stats()).toMatchObject({ dictionaries: 2, coded: 1 });
});
