import { expect, it } from 'vitest';
import { loadFromMemory } from '../../loader/rehearsal.ts';

it('a page from memory goes the way of a page: coded HTML, its references in one batch, bodies, no error', async () => {
  const { totals, resources } = await loadFromMemory();
  expect(totals).toMatchObject({ requests: 27, responses: 27, connections: 1, errors: 0 });
  expect(resources[0]?.bodyBytes).toBeGreaterThan(resources[0]?.encodedBytes ?? 0);
  expect(new Set(resources.map(({ kind }) => kind))).toEqual(
    new Set(['document', 'stylesheet', 'script', 'image']),
  );
});
