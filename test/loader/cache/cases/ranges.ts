// RFC 9110 13.1.5, 14; RFC 9111 3.3, 3.4.

import {
  type Case,
  content,
  control,
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
const other = { etag: '"b"' };
const zipped = { ...tag, 'content-encoding': 'gzip' };
const whole = (more: Record<string, string> = {}) =>
  got({ ...fresh, 'content-length': '10', ...more });
const range = (wanted: string, more: Record<string, string> = {}) =>
  get(2, { range: wanted, ...more });
/** A 206 of `content`. */
const part = (first: number, last: number, more: Record<string, string> = {}, at = 0) =>
  got(
    {
      ...fresh,
      'content-range': `bytes ${first}-${last}/10`,
      'content-length': String(last - first + 1),
      ...more,
    },
    {
      at,
      status: 206,
      ask: { range: `bytes=${first}-${last}` },
      body: content.slice(first, last + 1),
    },
  );
const partial = (first: number, last: number) => ({
  ...hit,
  status: 206,
  body: content.slice(first, last + 1),
  fields: {
    'content-range': `bytes ${first}-${last}/10`,
    'content-length': String(last - first + 1),
  },
});
const complete = {
  ...hit,
  status: 200,
  body: content,
  fields: { 'content-range': null, 'content-length': '10' },
};

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
    [
      'stale: validated, and asked for as a range',
      control('max-age=1', tag),
      range('bytes=2-4'),
      validate,
    ],
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
    [
      'without Content-Range: not stored',
      got(fresh, { status: 206, ask: { range: 'bytes=0-9' } }),
      range('bytes=2-4'),
      miss,
    ],
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
    ).map(([name, came, asked]): Row => {
      const ask = { range: `bytes=${asked}` };
      const given = got({ ...fresh, 'content-range': `bytes ${came}` }, { status: 206, ask });
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
      got(
        { ...tag, 'content-range': 'bytes 0-9/20' },
        { status: 206, ask: { range: 'bytes=0-9' } },
      ),
      range('bytes=2-4'),
      validate,
    ],
  ]),
  ...section('RFC 9111 3.4 parts put together', [
    ['two that meet', [part(0, 4, tag), part(5, 9, tag, 1)], 2, complete],
    ['the later one first', [part(5, 9, tag), part(0, 4, tag, 1)], 2, complete],
    ['two that overlap', [part(0, 6, tag), part(3, 9, tag, 1)], 2, complete],
    [
      'one within the other part',
      [part(0, 8, tag), part(3, 5, tag, 1)],
      range('bytes=1-7'),
      partial(1, 7),
    ],
    [
      'one within the other',
      [part(0, 9, tag), part(3, 5, tag, 1)],
      range('bytes=1-8'),
      partial(1, 8),
    ],
    [
      'one around the other',
      [part(3, 5, tag), part(1, 8, tag, 1)],
      range('bytes=2-7'),
      partial(2, 7),
    ],
    ['three, the gap last', [part(0, 2, tag), part(6, 9, tag, 1), part(3, 5, tag, 1)], 2, complete],
    ['a gap: not put together', [part(0, 3, tag), part(5, 9, tag, 1)], range('bytes=3-5'), miss],
    [
      'a gap: both are there',
      [part(0, 3, tag), part(5, 9, tag, 1)],
      range('bytes=1-2'),
      partial(1, 2),
    ],
    [
      'weak ETags: not put together',
      [part(0, 4, { etag: 'W/"a"' }), part(5, 9, { etag: 'W/"a"' }, 1)],
      2,
      miss,
    ],
    ['no ETags: not put together', [part(0, 4), part(5, 9, {}, 1)], 2, miss],
    ['another ETag: not put together', [part(0, 4, tag), part(5, 9, other, 1)], 2, miss],
    [
      'another ETag: the older part is outdated',
      [part(0, 4, tag), part(5, 9, other, 1)],
      range('bytes=1-2'),
      miss,
    ],
    ['another ETag: the older whole is outdated', [whole(tag), part(5, 9, other, 1)], 2, miss],
    [
      'of another length: not put together',
      [
        part(0, 4, tag),
        got(
          { ...fresh, ...tag, 'content-range': 'bytes 5-9/11' },
          { at: 1, status: 206, ask: { range: 'bytes=5-9' }, body: '56789' },
        ),
      ],
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
    [
      'a part leaves the whole of the same ETag',
      [whole(tag), part(5, 9, tag, 1)],
      2,
      hitOf(content),
    ],
  ]),
];
