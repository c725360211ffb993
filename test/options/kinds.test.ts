// Kinds of values: what each takes, what it makes of it, and what it says of the rest.

import { describe, expect, it } from 'vitest';
import {
  aFunction,
  also,
  any,
  anyOf,
  duration,
  either,
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
  trueOrFalse,
  wholeNumber,
  wholeNumberOrInfinity,
  wordOf,
} from '../../options/kinds.ts';
import { checked } from '../../options/options.ts';

/** The value, or the refusal. */
function said(kind: Parameters<typeof checked>[0], value: unknown): unknown {
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

describe.each([
  [
    'number',
    number({ least: 0, most: 2 }),
    [0, 0.5, 2],
    [
      [2.1, 'x must be a number from 0 to 2, not 2.1'],
      ['0.4', 'x must be a number from 0 to 2, not the string "0.4"'],
      [Number.NaN, 'x must be a number from 0 to 2, not NaN'],
      [undefined, 'x must be a number from 0 to 2, but is missing'],
      [null, 'x must be a number from 0 to 2, not null'],
      [[1], 'x must be a number from 0 to 2, not a list'],
      [{}, 'x must be a number from 0 to 2, not an object'],
    ],
  ],
  [
    'number of at least',
    number({ least: 1 }),
    [1, 1e300],
    [[inf, 'x must be a number of at least 1, not Infinity']],
  ],
  [
    'number above',
    number({ above: 0 }),
    [Number.MIN_VALUE],
    [[0, 'x must be a number above 0, not 0']],
  ],
  [
    'number of any size',
    number({}),
    [-1e300, 1e300],
    [[-inf, 'x must be a number, not -Infinity']],
  ],
  [
    'wholeNumber',
    wholeNumber({ least: 1, most: 64 }),
    [1, 64],
    [
      [1.5, 'x must be a whole number from 1 to 64, not 1.5'],
      [65, 'x must be a whole number from 1 to 64, not 65'],
    ],
  ],
  [
    'wholeNumber without a most',
    wholeNumber({}),
    [0, Number.MAX_SAFE_INTEGER],
    [[2 ** 53, 'x must be a whole number of at least 0, not 9007199254740992']],
  ],
  [
    'wholeNumberOrInfinity',
    wholeNumberOrInfinity({ least: 1 }),
    [1, inf],
    [
      [0, 'x must be a whole number of at least 1, or Infinity, not 0'],
      ['1', 'x must be a whole number of at least 1, or Infinity, not the string "1"'],
    ],
  ],
  [
    'milliseconds',
    milliseconds({ least: 1 }),
    [1, 1.5, 2 ** 31 - 1],
    [[2 ** 31, 'x must be milliseconds from 1 to 2147483647, not 2147483648']],
  ],
  ['share', share(), [0, 1], [[1.1, 'x must be a number from 0 to 1, not 1.1']]],
  [
    'orNull',
    orNull(wholeNumber, { least: 1 }),
    [null, 1],
    [[0, 'x must be a whole number of at least 1, or null, not 0']],
  ],
  [
    'trueOrFalse',
    trueOrFalse(),
    [true, false],
    [['yes', 'x must be true or false, not the string "yes"']],
  ],
  ['oneOf', oneOf(['a', 'b', 'c']), ['a'], [['d', 'x must be a, b or c, not "d"']]],
  [
    'oneOfOr',
    oneOfOr(['h2']),
    ['h2', true, false],
    [['h3', 'x must be h2, true or false, not "h3"']],
  ],
  [
    'text',
    text({ rule: 'a path', pattern: /^\// }),
    ['/a'],
    [
      ['a', 'x must be a path, not "a"'],
      [1, 'x must be a path, not 1'],
      [`b${'a'.repeat(100)}`, `x must be a path, not "b${'a'.repeat(59)}..."`],
    ],
  ],
  [
    'a secret',
    text({ rule: 'long', pattern: /.{9}/, isSecret: true }),
    ['long enough'],
    [
      ['secret', 'x must be long'],
      [1234, 'x must be long'],
    ],
  ],
  [
    'textOfLength',
    textOfLength({ least: 1, most: 3 }),
    ['abc'],
    [
      ['', 'x must have 1 to 3 characters, not 0'],
      [7, 'x must be a string, not 7'],
    ],
  ],
  [
    'listOf',
    listOf(share(), 'a list of shares', 2),
    [[], [1, 0]],
    [
      [1, 'x must be a list of shares, not 1'],
      [[0, 2], '[1] must be a number from 0 to 1, not 2'],
      [[0, 0, 0], 'x must have at most 2 entries, not 3'],
    ],
  ],
  ['aFunction', aFunction(), [nothing], [['f', 'x must be a function, not "f"']]],
  ['any', any(Array.isArray, 'a list'), [[1]], [[nothing, 'x must be a list, not a function']]],
  [
    'also',
    also(share(), (value) => value !== 0.5, 'no half'),
    [0],
    [[0.5, 'x must be no half, not 0.5']],
  ],
  [
    'anyOf',
    anyOf([share(), trueOrFalse()], 'a share or a truth'),
    [1, true],
    [['a', 'x must be a share or a truth, not the string "a"']],
  ],
  [
    'either',
    either([trueOrFalse(), text({ rule: 'true, false or a path', pattern: /^\// })]),
    [true, '/a'],
    [['a', 'x must be true, false or a path, not "a"']],
  ],
])('%s', (_, kind, good, bad) => {
  it.each(good.map((value: unknown) => [value]))('takes %o as it is', (value) => {
    expect(said(kind, value)).toEqual(value);
  });

  it.each(bad as [unknown, string][])('refuses %o', (value, sentence) => {
    expect(said(kind, value)).toBe(sentence);
  });
});

describe('what is written is read', () => {
  it.each([
    [duration(), '1.5h', 5_400_000],
    [duration(), '250ms', 250],
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
    expect(said(kind, value)).toEqual(result);
  });
});
