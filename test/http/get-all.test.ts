// The Get-All field: `?1` with the tags of what the client holds.

import { expect, it } from 'vitest';
import { getAllField, heldTag, mostHeldTags, parseGetAll } from '../../http/get-all.ts';

it('a tag is the first 6 bytes of SHA-256 over the target and the ETag as received', () => {
  // printf '/a.gif?x=1\nW/"1"' | sha256sum
  expect(heldTag('/a.gif?x=1', 'W/"1"')).toBe('d79bcd3c5bbb');
  expect(heldTag('/a.gif?x=1', '"1"')).not.toBe(heldTag('/a.gif?x=1', 'W/"1"'));
});

it('what is written is read again', () => {
  const held = [heldTag('/a', '"1"'), heldTag('/b', '"2"')];
  expect(getAllField([])).toBe('?1');
  expect(parseGetAll('?1')).toEqual(new Set());
  expect(parseGetAll(getAllField(held))).toEqual(new Set(held));
});

it('at most 256 tags are written, and read', () => {
  const held = Array.from({ length: 300 }, (_, i) => heldTag(`/${i}`, '"1"'));
  expect(parseGetAll(getAllField(held))).toEqual(new Set(held.slice(0, mostHeldTags)));
  const bytes = Buffer.from(held.join(''), 'hex').toString('base64');
  expect(parseGetAll(`?1;held=:${bytes}:`)).toEqual(new Set(held.slice(0, mostHeldTags)));
});

it.each(['?1;held=:AAAA:', '?1;held=5', '?1;held', '?1;other=1', ' ?1 '])(
  '%j: the field without tags',
  (value) => {
    expect(parseGetAll(value)).toEqual(new Set());
  },
);

it.each([
  '',
  '?0',
  '1',
  '?1, ?1',
  '?1;',
  '?1;held=:A',
  'true',
  '"?1"',
  `?1;a="${'x'.repeat(5000)}"`,
])('%j: as if there were no field', (value) => {
  expect(parseGetAll(value)).toBeNull();
});
