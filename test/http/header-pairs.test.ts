// The look-up of fields: names in any case (RFC 9110 5.1), several lines as one list (5.3).

import { expect, it } from 'vitest';
import {
  fieldLines,
  fieldValue,
  type HeaderPair,
  hasField,
  withField,
  withoutFields,
} from '../../http/header-pairs.ts';

const headers: HeaderPair[] = [
  ['ETag', ' "1" '],
  ['VARY', 'a'],
  ['vary', ' b, c'],
  ['Empty', ''],
];

it('finds every line of a field, whatever its spelling', () => {
  expect(fieldLines(headers, 'vary')).toEqual(['a', 'b, c']);
  expect(fieldValue(headers, 'vary')).toBe('a, b, c');
  expect(fieldValue(headers, 'etag')).toBe('"1"');
  expect(fieldValue(headers, 'tag')).toBe('');
});

it('an empty field is there', () => {
  expect(hasField(headers, 'empty')).toBe(true);
  expect(hasField(headers, 'absent')).toBe(false);
});

it('replaces and removes every spelling, and leaves what was given', () => {
  expect(withField(headers, 'Vary', '*')).toEqual([headers[0], headers[3], ['Vary', '*']]);
  expect(withoutFields(headers, new Set(['vary', 'etag']))).toEqual([headers[3]]);
  expect(headers).toHaveLength(4);
});
