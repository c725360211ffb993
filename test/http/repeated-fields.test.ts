// Fields of a part that are those of the part before it (docs/protocol.md, Get-All).

import { expect, it } from 'vitest';
import type { HeaderPair } from '../../http/header-pairs.ts';
import { withoutRepeated, withRepeated } from '../../http/repeated-fields.ts';

const part = (at: number, ...others: HeaderPair[]): HeaderPair[] => [
  ['Content-Location', `/${at}.gif`],
  ['Content-Length', String(at)],
  ['ETag', `"${at}"`],
  ...others,
];
const gif: HeaderPair[] = [
  ['Content-Type', 'image/gif'],
  ['Cache-Control', 'max-age=60'],
];

it('what both parts say is said once, and is read again', () => {
  const written = withoutRepeated(part(2, ...gif), part(1, ...gif));
  expect(written).toEqual(part(2, ['As-Before', '?1']));
  expect(withRepeated(written, part(1, ...gif))).toEqual(part(2, ...gif));
});

it.each([
  ['another value', [gif[0], ['Cache-Control', 'no-store']]],
  ['a field less', [gif[0]]],
  ['a field more', [...gif, ['Vary', 'Accept']]],
  ['another order', gif.toReversed()],
] as Array<[string, HeaderPair[]]>)('%s: all is said', (_, others) => {
  expect(withoutRepeated(part(2, ...others), part(1, ...gif))).toEqual(part(2, ...others));
});

it('the first part, and one without such fields, say all', () => {
  expect(withoutRepeated(part(1, ...gif), null)).toEqual(part(1, ...gif));
  expect(withoutRepeated(part(2), part(1))).toEqual(part(2));
});

it('a part that repeats nothing keeps its fields', () => {
  expect(withRepeated(part(2, ...gif), null)).toEqual(part(2, ...gif));
});

it.each([
  ['no part before', part(1, ['as-before', '?1']), null],
  ['?0', part(2, ['as-before', '?0']), part(1, ...gif)],
  ['fields besides', part(2, ['as-before', '?1'], ['Vary', 'Accept']), part(1, ...gif)],
] as Array<[string, HeaderPair[], HeaderPair[] | null]>)(
  '%s: not to be used',
  (_, fields, before) => {
    expect(withRepeated(fields, before)).toBeNull();
  },
);
