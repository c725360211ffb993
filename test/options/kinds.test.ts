// Kinds of values: what each takes, what it makes of it, and what it says of the rest.

import { describe, expect, it } from 'vitest';
import {
  aFunction,
  also,
  any,
  anyOf,
  bytes,
  duration,
  listOf,
  milliseconds,
  number,
  oneOf,
  oneOfOr,
  orInfinite,
  orNull,
  share,
  text,
  textOfLength,
  timeOrMs,
  trueOrFalse,
  wholeNumber,
  wholeNumberOrInfinity,
  wordOf,
} from '../../options/kinds.ts';
import { checked } from '../../options/options.ts';

type Kind = Parameters<typeof checked>[0];

/** The value, or the refusal. */
function said(kind: Kind, value: unknown): unknown {
  try {
    return checked(
      kind,
      value,
      (sentence) => {
        throw new Error(sentence);
      },
      { name: 'x' },
    );
  } catch (error) {
    return (error as Error).message;
  }
}

const inf = Number.POSITIVE_INFINITY;
const nothing = () => {};

const [ratio, count] = [number({ least: 0, most: 2 }), wholeNumber({ least: 1, most: 64 })];
const path = text({ rule: 'a path', pattern: /^\// });
const secret = text({ rule: 'long', pattern: /.{9}/, isSecret: true });
const shares = listOf(share(), 'a list of shares', 2);
const notHalf = also(share(), (value) => value !== 0.5, 'no half');
const onOrPath = anyOf([trueOrFalse(), text({ rule: 'true, false or a path', pattern: /^\// })]);

it.each([
  ['number', ratio, [0, 0.5, 2]],
  ['number of at least', number({ least: 1 }), [1, 1e300]],
  ['number above', number({ above: 0 }), [Number.MIN_VALUE]],
  ['number of any size', number({}), [-1e300, 1e300]],
  ['wholeNumber', count, [1, 64]],
  ['wholeNumber without a most', wholeNumber({}), [0, Number.MAX_SAFE_INTEGER]],
  ['wholeNumberOrInfinity', wholeNumberOrInfinity({ least: 1 }), [1, inf]],
  ['milliseconds', milliseconds({ least: 1 }), [1, 1.5, 2 ** 31 - 1]],
  ['share', share(), [0, 1]],
  ['orNull', orNull(wholeNumber, { least: 1 }), [null, 1]],
  ['trueOrFalse', trueOrFalse(), [true, false]],
  ['oneOf', oneOf(['a', 'b', 'c']), ['a']],
  ['oneOfOr', oneOfOr(['h2']), ['h2', true, false]],
  ['text', path, ['/a']],
  ['a secret', secret, ['long enough']],
  ['textOfLength', textOfLength({ least: 1, most: 3 }), ['abc']],
  ['listOf', shares, [[], [1, 0]]],
  ['aFunction', aFunction(), [nothing]],
  ['any', any(Array.isArray, 'a list'), [[1]]],
  ['also', notHalf, [0]],
  ['anyOf', anyOf([share(), trueOrFalse()], 'a share or a truth'), [1, true]],
  ['either', onOrPath, [true, '/a']],
] as [string, Kind, unknown[]][])('%s takes as it is', (_, kind, values) => {
  for (const value of values) expect(said(kind, value)).toEqual(value);
});

it.each([
  [ratio, 2.1, 'x must be a number from 0 to 2, not 2.1'],
  [ratio, '0.4', 'x must be a number from 0 to 2, not the string "0.4"'],
  [ratio, Number.NaN, 'x must be a number from 0 to 2, not NaN'],
  [ratio, undefined, 'x must be a number from 0 to 2, but is missing'],
  [ratio, null, 'x must be a number from 0 to 2, not null'],
  [ratio, [1], 'x must be a number from 0 to 2, not a list'],
  [ratio, {}, 'x must be a number from 0 to 2, not an object'],
  [number({ least: 1 }), inf, 'x must be a number of at least 1, not Infinity'],
  [number({ above: 0 }), 0, 'x must be a number above 0, not 0'],
  [number({}), -inf, 'x must be a number, not -Infinity'],
  [count, 1.5, 'x must be a whole number from 1 to 64, not 1.5'],
  [count, 65, 'x must be a whole number from 1 to 64, not 65'],
  [wholeNumber({}), 2 ** 53, 'x must be a whole number of at least 0, not 9007199254740992'],
  [
    wholeNumberOrInfinity({ least: 1 }),
    '1',
    'x must be a whole number of at least 1, or Infinity, not the string "1"',
  ],
  [
    milliseconds({ least: 1 }),
    2 ** 31,
    'x must be milliseconds from 1 to 2147483647, not 2147483648',
  ],
  [share(), 1.1, 'x must be a number from 0 to 1, not 1.1'],
  [orNull(wholeNumber, { least: 1 }), 0, 'x must be a whole number of at least 1, or null, not 0'],
  [trueOrFalse(), 'yes', 'x must be true or false, not the string "yes"'],
  [oneOf(['a', 'b', 'c']), 'd', 'x must be a, b or c, not "d"'],
  [oneOfOr(['h2']), 'h3', 'x must be h2, true or false, not "h3"'],
  [path, 'a', 'x must be a path, not "a"'],
  [path, 1, 'x must be a path, not 1'],
  [path, `b${'a'.repeat(100)}`, `x must be a path, not "b${'a'.repeat(59)}..."`],
  [secret, 'secret', 'x must be long'],
  [secret, 1234, 'x must be long'],
  [textOfLength({ least: 1, most: 3 }), '', 'x must have 1 to 3 characters, not 0'],
  [textOfLength({ least: 1, most: 3 }), 7, 'x must be a string, not 7'],
  [shares, 1, 'x must be a list of shares, not 1'],
  [shares, [0, 2], '[1] must be a number from 0 to 1, not 2'],
  [shares, [0, 0, 0], 'x must have at most 2 entries, not 3'],
  [aFunction(), 'f', 'x must be a function, not "f"'],
  [any(Array.isArray, 'an object or a list'), {}, 'x must be an object or a list'],
  [any(Array.isArray, 'a list'), nothing, 'x must be a list, not a function'],
  [notHalf, 0.5, 'x must be no half, not 0.5'],
  [
    anyOf([share(), trueOrFalse()], 'a share or a truth'),
    'a',
    'x must be a share or a truth, not the string "a"',
  ],
  [onOrPath, 'a', 'x must be true, false or a path, not "a"'],
] as [Kind, unknown, string][])('%#: what is refused, and why: %o', (kind, value, sentence) => {
  expect(said(kind, value)).toBe(sentence);
});

describe('what is written is read', () => {
  it.each([
    [duration(), '1.5h', 5_400_000],
    [duration(), '250ms', 250],
    [timeOrMs({ least: 1 }), '99d', /^x must be a time from 1ms to 24d, such as .*, not "99d"$/],
    [bytes({ least: 1 }), '0k', /^x must be a number of bytes of at least 1, .*, not "0k"$/],
    [duration(), '7', 'x must be a time such as 500ms, 90s, 15m, 12h or 7d, not "7"'],
    [duration(), 7, 'x must be a time such as 500ms, 90s, 15m, 12h or 7d, not 7'],
    [orInfinite(duration, {}), 'inf', null],
    [orInfinite(duration, {}), null, null],
    [orInfinite(duration, {}), '7d', 604_800_000],
    [
      orInfinite(wholeNumber, { least: 1 }),
      0,
      'x must be a whole number of at least 1, or inf, not 0',
    ],
    [wordOf({ h2: 'h2', on: true, off: false }), 'on', true],
    [wordOf({ h2: 'h2', on: true, off: false }), false, false],
    [
      wordOf({ h2: 'h2', on: true, off: false }),
      'toString',
      'x must be h2, on or off, not "toString"',
    ],
    [wordOf({ 48: 48, 56: 56 }), '56', 56],
    [wordOf({ 48: 48, 56: 56 }), 56, 56],
    [wordOf({ 48: 48, 56: 56 }), true, 'x must be 48 or 56, not true'],
  ])('%#: %o', (kind, value, result) => {
    const wanted = result instanceof RegExp ? expect.stringMatching(result) : result;
    expect(said(kind, value)).toEqual(wanted);
  });
});
