// URLs of one person are never hinted, whatever makes them so; what only looks alike is.

import { describe, expect, it } from 'vitest';
import { mayHintRule, urlRule } from '../../../prefetchd/rules/deny-list.ts';
import { privateFileUrls, privateUrls, publicUrls } from './private-urls.ts';

const mayHint = mayHintRule();
const keeps = mayHintRule({ query: 'keep' });

describe.each(Object.entries(privateUrls))('%s', (_, urls) => {
  it('none may be hinted', () => {
    expect(urls.filter((url) => mayHint(url, 'document'))).toEqual([]);
  });
});

it('the list is long enough to tell', () => {
  expect(new Set(Object.values(privateUrls).flat()).size).toBeGreaterThanOrEqual(100);
});

it('a session id or signature drops a URL even where queries are kept, and files, too', () => {
  const sessions = ['session ids in paths', 'session ids in queries'];
  const documents = sessions.flatMap((name) => privateUrls[name] ?? []);
  documents.push('/a?X-Amz-Signature=b', '/a?sp=r&sig=c', '/a?hdnea=exp=1');
  expect(documents.filter((url) => keeps(url, 'document'))).toEqual([]);
  expect(privateFileUrls.filter((url) => keeps(url, 'object'))).toEqual([]);
});

it.each(publicUrls)('%s may be', (url) => {
  expect(urlRule()(url, 'document')).toBeNull();
});
