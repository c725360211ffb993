// Which references of a page are followed: how many, the length of a URL.

import { expect, it } from 'vitest';
import { resolveOptions } from '../../../loader/options.ts';
import { References } from '../../../loader/page/references.ts';

const defaults = resolveOptions();

const limits = { ...defaults.limits, maxReferences: 2, maxUrlCharacters: 300 };

it('each URL is followed once', () => {
  const references = new References(limits);
  expect(['http://a/1', 'http://a/1', 'http://a/2'].map((url) => references.admit(url))).toEqual([
    'follow',
    'known',
    'follow',
  ]);
});

it('the first one beyond the limit is refused aloud, all behind it are passed over', () => {
  const references = new References(limits);
  references.admit('http://a/1');
  references.admit('http://a/2');
  expect(references.admit('http://a/3')).toEqual({
    shown: 'http://a/3',
    error: {
      code: 'too-many-references',
      message: 'the page names more than 2 resources',
    },
  });
  expect(['http://a/3', 'http://a/4'].map((url) => references.admit(url))).toEqual([
    'known',
    'known',
  ]);
});

it('a URL that is too long is refused, shortened', () => {
  const long = `http://a/${'x'.repeat(292)}`;
  const references = new References(limits);
  expect(references.admit(long.slice(0, 300))).toBe('follow');
  expect(references.admit(long)).toEqual({
    shown: `${long.slice(0, 200)}...`,
    error: {
      code: 'invalid-url',
      message: 'a URL of 301 characters, at most 300 are fetched',
    },
  });
});
