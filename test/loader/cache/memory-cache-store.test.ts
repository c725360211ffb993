// The cache store in memory: the contract, and its caps.

import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../loader/cache/memory-cache-store.ts';
import { withConstants } from '../../../options/options.ts';
import { cacheStoreContract } from '../../contracts/cache-store.ts';
import { entryOf } from '../../support/cache-entries.ts';

cacheStoreContract('memory', createMemoryStore);

test('keeps no more than maxEntries, those used last', () => {
  const store = createMemoryStore(withConstants({ maxEntries: 2 }));
  store.put(['/1', '/2'].map((url) => entryOf(url)));
  store.body(store.find('/1')[0]?.id as number);
  store.put([entryOf('/3')]);
  expect(['/1', '/2', '/3'].map((url) => store.find(url).length)).toEqual([1, 0, 1]);
});

test.each([
  [{ maxBytes: 0 }, /maxBytes must be a whole number of at least 1, not 0/],
  [{ maxBytes: Infinity }, /maxBytes .* not Infinity/],
])('refuses %j', (options, message) => {
  const refused = expect.objectContaining({
    code: 'invalid-option',
    message: expect.stringMatching(message),
  });
  expect(() => createMemoryStore(options)).toThrow(refused);
});
