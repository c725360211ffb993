// URLs of one person are neither learned nor hinted, whatever makes them so, nor do paths that act on what their query
// names; what only looks alike, and pages that all may open, are.

import { describe, expect, it } from 'vitest';
import { queryMayBeHinted } from '../../../prefetchd/normalise-url.ts';
import { denyList, mayHintRule, urlRule } from '../../../prefetchd/rules/deny-list.ts';
import {
  privateFiles,
  privatePaths,
  publicFiles,
  publicPaths,
  unclearPaths,
} from './paths-of-software.ts';
import { privateFileUrls, privateUrls, publicUrls } from './private-urls.ts';

const verdictOf = urlRule();
const isDenied = denyList();

describe.each(Object.entries(privatePaths))('private: %s', (_, paths) => {
  it.each(paths)('%s', (path) => {
    expect(isDenied(path, 'document')).toBe(true);
    expect(isDenied(`https://site.example${path}`, 'document')).toBe(true);
  });
});

describe.each(Object.entries(privateUrls))('%s', (_, urls) => {
  it('none may be hinted', () => {
    const mayHint = mayHintRule();
    expect(urls.filter((url) => mayHint(url, 'document'))).toEqual([]);
  });
});

it('a session id or signature drops a URL even where queries are kept, and files, too', () => {
  const keeps = mayHintRule({ query: 'keep' });
  const sessions = ['session ids in paths', 'session ids in queries'];
  const documents = sessions.flatMap((name) => privateUrls[name] ?? []);
  documents.push('/a?X-Amz-Signature=b', '/a?sp=r&sig=c', '/a?hdnea=exp=1');
  expect(documents.filter((url) => keeps(url, 'document'))).toEqual([]);
  expect(privateFileUrls.filter((url) => keeps(url, 'object'))).toEqual([]);
});

it('a path that acts on what the query names is no page, and other paths are', () => {
  const mayHint = queryMayBeHinted();
  const acting = ['/catalog/product_compare/add/?product=5', '/download/file.php?id=5'];
  acting.push('/forum/post.php?f=3', '/Vote?id=3');
  const pages = ['/forum/viewtopic.php?t=5', '/how-to-download-files?page=2', '/news/?page=2'];
  const all = [...acting, ...pages, '/?p=3'];
  expect(all.filter((url) => !mayHint(url, 'document'))).toEqual(acting);
});

describe.each(Object.entries({ ...publicPaths, 'by its looks alone': publicUrls }))(
  'public: %s',
  (_, paths) => {
    it.each(paths)('%s', (path) => {
      expect(verdictOf(path, 'document')).toBeNull();
    });
  },
);

describe('ids that may be of public pages', () => {
  it.each(unclearPaths)('%s needs evidence', (path) => {
    expect(verdictOf(path, 'document')).toBe('unclear');
    expect(isDenied(path, 'document')).toBe(false);
  });
});

describe('what pages embed', () => {
  it.each(publicFiles)('%s is learned', (path) => {
    expect(verdictOf(path, 'object')).toBeNull();
  });

  it.each(privateFiles)('%s is not', (path) => {
    expect(isDenied(path, 'object')).toBe(true);
  });
});

it('the lists are long enough to tell', () => {
  expect(Object.values(privatePaths).flat().length).toBeGreaterThanOrEqual(150);
  expect(new Set(Object.values(privateUrls).flat()).size).toBeGreaterThanOrEqual(100);
  expect(Object.values(publicPaths).flat().length).toBeGreaterThanOrEqual(150);
});

it('says why', () => {
  const urls = ['/logout', '/a/jane@b.org', `/d/${'4f9c2a7e'.repeat(4)}`, '/otp', '/order/8127'];
  expect(urls.map((url) => verdictOf(url, 'document'))).toEqual([
    ...['word', 'e-mail', 'token', 'one-time', 'personal'],
  ]);
});

describe('a site overrules it', () => {
  it('allow: pages it knows to be public need no evidence either', () => {
    const rule = urlRule({ allow: ['/my', /^\/watch\//, /^\/commit\/[0-9a-f]{40}$/] });
    for (const path of ['/my/phones', '/watch/dQw4w9WgXcQ', `/commit/${'4f9c2a7e'.repeat(5)}`]) {
      expect(rule(path, 'document')).toBeNull();
    }
    expect(rule('/order/8127', 'document')).toBe('personal');
  });
});

it('takes linear time', () => {
  const parts = ['a1', 'aB', '@', '--at--', '.a', '/my', '+1', '%40', '1a.', 'eyJ', '(', '/2'];
  const startedMs = performance.now();
  for (const part of parts) {
    const path = `/${part.repeat(2000 / part.length)}`;
    for (let i = 0; i < 20; i++) isDenied(path, 'document');
  }
  expect(performance.now() - startedMs).toBeLessThan(2000);
});
