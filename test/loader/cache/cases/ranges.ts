// RFC 9110 13.1.5, 14; RFC 9111 3.3, 3.4.

import {
  type Case,
  content,
  control,
  type Fields,
  get,
  got,
  hit,
  hitOf,
  hitWith,
  miss,
  type Row,
  section,
  validate,
} from './case.ts';

const fresh = { 'cache-control': 'max-age=60' };
const tag = { etag: '"a"' };
const [other, weak] = [{ etag: '"b"' }, { etag: 'W/"a"' }];
const zipped = { ...tag, 'content-encoding': 'gzip' };
const whole = (more: Record<string, string> = {}) =>
  got({ ...fresh, 'content-length': '10', ...more });
const range = (wanted: string) => get(2, { range: wanted });
const partOf = (first: number, last: number) => ({
  'content-range': `bytes ${first}-${last}/10`,
  'content-length': String(last - first + 1),
});
/** What came for a range. */
const came = (asked: string, fields: Fields, options: Parameters<typeof got>[1] = {}) =>
  got(fields, { status: 206, ask: { range: `bytes=${asked}` }, ...options });
/** A 206 of `content`. */
const part = (first: number, last: number, more: Fields = {}, at = 0) => {
  const body = content.slice(first, last + 1);
  return came(`${first}-${last}`, { ...fresh, ...partOf(first, last), ...more }, { at, body });
};
/** Parts of one ETag, one after the other. */
const parts = (...ranges: [first: number, last: number][]) =>
  ranges.map(([first, last], at) => part(first, last, tag, at));
const partial = (first: number, last: number) => ({
  ...{ ...hit, status: 206, body: content.slice(first, last + 1), fields: partOf(first, last) },
});

const complete = {
  ...{ ...hit, status: 200, body: content },
  fields: { 'content-range': null, 'content-length': '10' },
};
const otherLater = [part(0, 4, tag), part(5, 9, other, 1)];

export const rangeCases: Case[] = [
  ...section('RFC 9110 14.1.2 a range of a stored whole', [
    ['first to last', whole(), range('bytes=2-4'), partial(2, 4)],
    ['from the first', whole(), range('bytes=0-0'), partial(0, 0)],
    ['to the end', whole(), range('bytes=7-'), partial(7, 9)],
    ['the last ones', whole(), range('bytes=-3'), partial(7, 9)],
    ['a last beyond the end', whole(), range('bytes=7-99'), partial(7, 9)],
    ['more than there are, from the end', whole(), range('bytes=-99'), partial(0, 9)],
    ['its age is told', whole(), range('bytes=2-4'), hitWith({ age: '2' })],
    ["beyond the end: the server's", whole(), range('bytes=10-'), miss],
    ["none from the end: the server's", whole(), range('bytes=-0'), miss],
    ["last before first: the server's", whole(), range('bytes=4-2'), miss],
    ["several: the server's", whole(), range('bytes=0-1,4-5'), miss],
    ["another unit: the server's", whole(), range('lines=1-2'), miss],
    ["nonsense: the server's", whole(), range('bytes=a-b'), miss],
    ["no numbers: the server's", whole(), range('bytes=-'), miss],
    ["numbers without end: the server's", whole(), range(`bytes=${'9'.repeat(99)}-`), miss],
    [
      'HEAD has no ranges',
      whole(),
      get(2, { range: 'bytes=2-4' }, { method: 'HEAD' }),
      { ...hit, status: 200, body: '' },
    ],
    [
      'a stored 404 is answered as it is',
      got(fresh, { status: 404 }),
      range('bytes=2-4'),
      { ...hit, status: 404, body: content },
    ],
    ['stale: validated as a range', control('max-age=1', tag), range('bytes=2-4'), validate],
  ]),
  ...section('RFC 9111 3.3 stored parts', [
    ['a single byte', part(4, 4), range('bytes=4-4'), partial(4, 4)],
    ['the same range', part(2, 6), range('bytes=2-6'), partial(2, 6)],
    ['a smaller one', part(2, 6), range('bytes=3-5'), partial(3, 5)],
    ['from the end', part(5, 9), range('bytes=-2'), partial(8, 9)],
    ['to the end', part(5, 9), range('bytes=7-'), partial(7, 9)],
    ['one that begins before', part(2, 6), range('bytes=1-5'), miss],
    ['one that ends after', part(2, 6), range('bytes=3-7'), miss],
    ['a part is not the whole', part(0, 6), 2, miss],
    ['nor is it validated as one', part(0, 6, tag), 2, miss],
    ['all of it is the whole', part(0, 9), 2, complete],
    ['without Content-Range: not stored', came('0-9', fresh), range('bytes=2-4'), miss],
    ...(
      [
        ['of unknown length', '0-9/*', '0-9'],
        ['last at the length', '1-10/10', '1-10'],
        ['last beyond the length', '0-10/10', '0-10'],
        ['another length than it says', '0-8/10', '0-8'],
        ['several ranges', '0-9/10', '0-1,2-9'],
        ['of no range', '*/10', '0-9'],
        ['that ends before it begins', '5-4/10', '4-5'],
        ['in two places', '0-9/10, bytes 0-9/10', '0-9'],
      ] as const
    ).map(([name, said, asked]): Row => {
      const given = came(asked, { ...fresh, 'content-range': `bytes ${said}` });
      return [`${name}: not stored`, given, range('bytes=2-4'), miss];
    }),
    [
      'not asked for: not stored',
      got({ ...fresh, 'content-range': 'bytes 0-9/10' }, { status: 206 }),
      range('bytes=2-4'),
      miss,
    ],
    [
      'a whole one instead of the range asked for',
      got(fresh, { ask: { range: 'bytes=0-4' } }),
      2,
      hitOf(content),
    ],
    [
      'no lifetime: validated',
      came('0-9', { ...tag, 'content-range': 'bytes 0-9/20' }),
      range('bytes=2-4'),
      validate,
    ],
  ]),
  ...section('RFC 9111 3.4 parts put together', [
    ['two that meet', parts([0, 4], [5, 9]), 2, complete],
    ['the later one first', parts([5, 9], [0, 4]), 2, complete],
    ['two that overlap', parts([0, 6], [3, 9]), 2, complete],
    ['one within the other part', parts([0, 8], [3, 5]), range('bytes=1-7'), partial(1, 7)],
    ['one within the other', parts([0, 9], [3, 5]), range('bytes=1-8'), partial(1, 8)],
    ['one around the other', parts([3, 5], [1, 8]), range('bytes=2-7'), partial(2, 7)],
    ['three, the gap last', parts([0, 2], [6, 9], [3, 5]), 2, complete],
    ['a gap: not put together', parts([0, 3], [5, 9]), range('bytes=3-5'), miss],
    ['a gap: both are there', parts([0, 3], [5, 9]), range('bytes=1-2'), partial(1, 2)],
    ['weak ETags: not put together', [part(0, 4, weak), part(5, 9, weak, 1)], 2, miss],
    ['no ETags: not put together', [part(0, 4), part(5, 9, {}, 1)], 2, miss],
    ['another ETag: not put together', otherLater, 2, miss],
    ['another ETag: the older part is outdated', otherLater, range('bytes=1-2'), miss],
    ['another ETag: the older whole is outdated', [whole(tag), part(5, 9, other, 1)], 2, miss],
    [
      'of another length: not put together',
      [part(0, 4, tag), part(5, 9, { ...tag, 'content-range': 'bytes 5-9/11' }, 1)],
      2,
      miss,
    ],
    [
      'a coding in other letters',
      [part(0, 4, zipped), part(5, 9, { ...tag, 'content-encoding': 'GZIP' }, 1)],
      2,
      complete,
    ],
    ['another coding: not put together', [part(0, 4, zipped), part(5, 9, tag, 1)], 2, miss],
    [
      'the fields of the newer',
      [part(0, 4, { ...tag, 'x-a': '1' }), part(5, 9, { ...tag, 'x-a': '2' }, 1)],
      2,
      { ...complete, fields: { 'x-a': '2', 'content-length': '10' } },
    ],
    [
      'fields only the older had',
      [part(0, 4, { ...tag, 'x-a': '1' }), part(5, 9, tag, 1)],
      2,
      { ...complete, fields: { 'x-a': '1' } },
    ],
    [
      'a whole one makes parts needless',
      [part(0, 4, tag), got({ ...fresh, ...tag }, { at: 1, body: 'abcdefghij' })],
      range('bytes=1-2'),
      hitOf('bc'),
    ],
    ['it leaves the whole of the same ETag', [whole(tag), part(5, 9, tag, 1)], 2, hitOf(content)],
  ]),
];
