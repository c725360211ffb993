// Objects of options: what is absent, what is unknown, and where the first fault is.

import { describe, expect, it } from 'vitest';
import { aFunction, anyOf, orNull, share, trueOrFalse, wholeNumber } from '../../options/kinds.ts';
import {
  checked,
  defaultsOf,
  looseObjectOf,
  objectOf,
  option,
  optionWithoutDefault,
  read,
  required,
  section,
} from '../../options/options.ts';
import { nearest } from '../../options/refusal.ts';

const now = () => 1;
const table = {
  /** Must be given. */
  name: required(share()),
  /** A default that is a function. */
  now: option(aFunction<() => number>(), now),
  /** null by default. */
  list: option(orNull(wholeNumber, { least: 1 }), null),
  /** No default. */
  signal: optionWithoutDefault(share()),
  inside: section(objectOf({ window: option(wholeNumber({ least: 2 }), 4) })),
  rules: option(anyOf([trueOrFalse(), objectOf({ path: option(share(), 1) })]), false),
};
const kind = objectOf(table);

const refused = (given: unknown, naming = {}): string => {
  try {
    checked(
      kind,
      given,
      (sentence) => {
        throw new Error(sentence);
      },
      naming,
    );
  } catch (error) {
    return (error as Error).message;
  }
  return 'taken';
};

describe('what is absent or undefined has its default', () => {
  const fail = (sentence: string): never => {
    throw new Error(sentence);
  };
  const all = { name: 1, now, list: null, inside: { window: 4 }, rules: false };

  it.each([
    [{ name: 1 }],
    [{ name: 1, signal: undefined, now: undefined, inside: undefined }],
    [{ name: 1, inside: { window: undefined } }],
  ])('%o', (given) => {
    const options = checked(kind, given, fail);
    expect(options).toEqual(all);
    expect(options).not.toHaveProperty('signal');
  });

  it('one object never shares its defaults with the next', () => {
    const [one, other] = [checked(kind, { name: 1 }, fail), checked(kind, { name: 1 }, fail)];
    one.inside.window = 9;
    expect(other.inside.window).toBe(4);
    expect(defaultsOf(table).now).toBe(now);
  });

  it('what a prototype has is absent', () => {
    expect(refused(Object.create({ name: 1 }))).toMatch(/^name must be .*, but is missing$/);
    expect(refused({ name: 1, __proto__: { colour: 1 } })).toBe('taken');
  });
});

describe('the first fault is told with its place', () => {
  it.each([
    [{}, 'name must be a number from 0 to 1, but is missing'],
    [{ name: 1, list: 0 }, 'list must be a whole number of at least 1, or null, not 0'],
    [
      { name: 1, inside: { window: 1 } },
      'inside.window must be a whole number of at least 2, not 1',
    ],
    [{ name: 1, inside: 4 }, 'inside must be an object, not 4'],
    [{ name: 1, inside: 'a' }, 'inside must be an object, not the string "a"'],
    [{ name: 1, rules: { path: 2 } }, 'rules.path must be a number from 0 to 1, not 2'],
    [{ name: 1, Now: 1 }, 'option Now is unknown; did you mean now?'],
    [{ name: 1, inside: { windw: 1 } }, 'option inside.windw is unknown; did you mean window?'],
    [
      { name: 1, colour: 1 },
      'option colour is unknown; there are name, now, list, signal, inside, rules',
    ],
    [{ name: 1, toString: 1 }, /^option toString is unknown; there are name, /],
    [JSON.parse('{"name": 1, "__proto__": 1}'), /^option __proto__ is unknown; there are name, /],
    [null, 'options must be an object, not null'],
    [undefined, 'options must be an object, but is missing'],
    [[], 'options must be an object, not a list'],
  ])('%o', (given, sentence) => {
    expect(refused(given)).toEqual(
      typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
    );
  });

  it('in the words of whoever asks', () => {
    expect(refused(null, { name: 'the body' })).toBe('the body must be an object, not null');
    expect(refused({ name: 2 }, { inside: 'prefetch' })).toMatch(/^prefetch\.name must be /);
    expect(refused({ name: 1, nme: 1 }, { noun: 'setting ' })).toMatch(/^setting nme is unknown/);
  });

  it('a long name is not repeated whole', () => {
    expect(refused({ name: 1, ['x'.repeat(100_000)]: 1 }).length).toBeLessThan(200);
  });
});

it('of what others send every fault is told, and what nobody knows is left out', () => {
  const loose = looseObjectOf({ a: required(share()), b: option(share(), 0.5) });
  expect(read(loose, { a: 1, c: 7 })).toEqual({ value: { a: 1, b: 0.5 } });
  expect(read(loose, { b: 2 })).toEqual({
    problems: [
      { place: 'a', message: 'must be a number from 0 to 1, but is missing' },
      { place: 'b', message: 'must be a number from 0 to 1, not 2' },
    ],
  });
  expect(read(loose, [])).toEqual({
    problems: [{ place: '', message: 'must be an object, not a list' }],
  });
});

describe('the name that may be meant', () => {
  const known = ['threshold', 'window', 'limit', 'maxBytes', 'maxEntries'];
  it.each([
    ['treshold', 'threshold'],
    ['Threshold', 'threshold'],
    ['windw', 'window'],
    ['maxbyte', 'maxBytes'],
    ['limits', 'limit'],
    ['x', undefined],
    ['', undefined],
    ['bytes', undefined],
    ['y'.repeat(100_000), undefined],
  ])('%s: %s', (name, meant) => {
    expect(nearest(name.slice(0, 100_000), known)).toBe(meant);
  });
});

it('a rule alone has no value, whatever is in it', () => {
  expect(() =>
    checked(share(), 'a, not b', (_, __, ___, rule) => {
      throw new Error(rule);
    }),
  ).toThrow(/^must be a number from 0 to 1$/);
});
