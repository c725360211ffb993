// Accesses and hints as JSON of the HTTP API: defaults, rules, and errors that say where.

import { describe, expect, it } from 'vitest';
import type { Access } from '../../../prefetchd/access.ts';
import {
  type AccessJsonOptions,
  accessesJson,
  hintsJson,
  parseAccesses,
  parseHints,
} from '../../../prefetchd/wire/access-json.ts';
import type { Hint } from '../../../prefetchd/wire/hint.ts';

const options: AccessJsonOptions = {
  nowMs: 1_000,
  kindOfPath: (path) => (path.endsWith('.png') ? 'object' : 'document'),
};
const full: Access = {
  client: 'c',
  url: '/a?b',
  timeMs: 5,
  kind: 'object',
  status: 304,
  bytes: 7.5,
  prefetch: true,
  durationMs: 12.5,
  window: 3,
  page: '/guide',
  alsoSent: ['/x', '/y'],
};
const least = { client: 'c', url: '/a' };
const parse = (body: unknown) => parseAccesses(body, options);
const messages = (body: unknown) => parse(body).errors.map(({ message }) => message);

describe('accesses', () => {
  it('what goes out comes back', () => {
    expect(parse(JSON.parse(accessesJson([full]))).accesses).toEqual([full]);
  });

  it('need a client and a URL only', () => {
    expect(parse(least).accesses).toEqual([
      { ...least, timeMs: 1_000, kind: 'document', status: 200, bytes: 0, prefetch: false },
    ]);
  });

  it.each(['/i.png', '/i.png?v=.html', 'https://site.example/i.png#x', '/i.png#/a.html'])(
    'have the kind of their path where they name none: %s',
    (url) => {
      expect(parse({ client: 'c', url }).accesses[0]?.kind).toBe('object');
    },
  );

  const many = Array(1001).fill('/x');
  it.each([
    [{ url: 7 }, 'accesses[1].url must be a string, not 7'],
    [{ url: '' }, 'accesses[1].url must have 1 to 2048 characters, not 0'],
    [{ url: 'x'.repeat(2049) }, 'accesses[1].url must have 1 to 2048 characters, not 2049'],
    [{ client: null }, 'accesses[1].client must be a string, not null'],
    [{ client: 'x'.repeat(513) }, 'accesses[1].client must have 1 to 512 characters, not 513'],
    [{ timeMs: '7' }, 'accesses[1].timeMs must be a number, not the string "7"'],
    [{ timeMs: Number.NaN }, 'accesses[1].timeMs must be a number, not NaN'],
    [{ kind: 'page' }, 'accesses[1].kind must be document or object, not "page"'],
    [{ status: 99 }, 'accesses[1].status must be a whole number from 100 to 599, not 99'],
    [{ status: 200.5 }, 'accesses[1].status must be a whole number from 100 to 599, not 200.5'],
    [{ bytes: -1 }, 'accesses[1].bytes must be a number of at least 0, not -1'],
    [{ window: 1 }, 'accesses[1].window must be a whole number from 2 to 100, not 1'],
    [{ durationMs: -1 }, 'accesses[1].durationMs must be a number of at least 0, not -1'],
    [{ prefetch: 1 }, 'accesses[1].prefetch must be true or false, not 1'],
    [{ page: '' }, 'accesses[1].page must have 1 to 2048 characters, not 0'],
    [{ alsoSent: '/x' }, 'accesses[1].alsoSent must be a list of strings, not the string "/x"'],
    [{ alsoSent: ['/x', {}] }, 'accesses[1].alsoSent[1] must be a string, not an object'],
    [{ alsoSent: many }, 'accesses[1].alsoSent must have at most 1000 entries, not 1001'],
  ])('errors tell place, rule and value; the others stand: %j', (wrong, message) => {
    const { accesses, errors } = parse([least, { ...least, ...wrong }, full]);
    expect(errors.map((error) => error.message)).toEqual([message]);
    expect(message.startsWith(`${errors[0]?.place} `)).toBe(true);
    expect(accesses).toHaveLength(2);
  });

  it('every wrong field of an access is told, up to 20', () => {
    expect(messages({ status: 1 })).toEqual([
      'client must be a string, but is missing',
      'url must be a string, but is missing',
      'status must be a whole number from 100 to 599, not 1',
    ]);
    expect(messages(Array(100).fill(7))).toHaveLength(20);
    expect(messages([[]])).toEqual(['accesses[0] must be an object, not a list']);
  });

  it('long values are not repeated whole', () => {
    expect(messages({ ...least, kind: 'x'.repeat(10_000) })[0]?.length).toBeLessThan(120);
  });
});

describe('hint answers', () => {
  const hints: Hint[] = [
    { url: '/a', probability: 0.123456, kind: 'document' },
    { url: 'https://site.example/i.png', probability: 1, kind: 'object' },
  ];

  it('what goes out comes back', () => {
    expect(JSON.parse(hintsJson(hints))).toEqual({ hints });
    expect(parseHints(JSON.parse(hintsJson(hints)))).toEqual(hints);
  });

  it('of an object it is told which page embeds it, where that is known; of a page nothing', () => {
    const object: Hint = { url: '/i.png', probability: 0.7, kind: 'object', navigation: 'next' };
    expect(JSON.parse(hintsJson([object]))).toEqual({ hints: [object] });
    expect(parseHints({ hints: [object] })).toEqual([object]);
    const late: Hint = { ...object, navigation: 'current', isLate: true };
    expect(parseHints(JSON.parse(hintsJson([late])))).toEqual([late]);
    const page = { url: '/a', probability: 0.7, kind: 'document' as const };
    expect(hintsJson([{ ...page, navigation: 'next' }])).toBe(hintsJson([page]));
    expect(parseHints({ hints: [{ ...page, navigation: 'next' }] })).toEqual([page]);
    const { navigation, ...plain } = object;
    for (const none of ['later', 7, null, [navigation]]) {
      expect(parseHints({ hints: [{ ...plain, navigation: none }] })).toEqual([plain]);
    }
  });

  it.each([
    null,
    7,
    [],
    {},
    { hints: 7 },
    { hints: [7, null, {}, { ...hints[0], url: 7 }, { ...hints[0], url: '' }] },
    {
      hints: [
        { ...hints[0], probability: 2 },
        { ...hints[0], kind: 'page' },
      ],
    },
  ])('what is no hint is skipped: %j', (body) => {
    expect(parseHints(body)).toEqual([]);
  });

  it('reads at most 100', () => {
    expect(parseHints({ hints: Array(300).fill(hints[0]) })).toHaveLength(100);
  });
});
