// Which links a document does not want followed, the same in every chunking.

import { describe, expect, test } from 'vitest';
import { NoFollowScanner } from '../../../loader/scan/no-follow.ts';
import { chunkings } from './chunkings.ts';

const url = 'http://one.example/dir/page';

function said(chunks: Iterable<Uint8Array>, contentType = 'text/html; charset=utf-8'): string[] {
  const found: string[] = [];
  const scanner = new NoFollowScanner({
    url,
    contentType,
    onLink: (link) => found.push(link.replace('http://one.example', '')),
    onMeta: (name, content) => found.push(`${name}=${content}`),
  });
  for (const chunk of chunks) scanner.write(chunk);
  scanner.end();
  return found;
}

describe('links and metas', () => {
  test.each<[string, string, string[]]>([
    ['nofollow', '<a href=a rel=nofollow>', ['/dir/a']],
    ['ugc and sponsored', '<a href=/a rel=ugc><area href=/b rel=sponsored />', ['/a', '/b']],
    ['among others, in any case', '<A REL="noopener  NoFollow\nx" HREF="/a#top">', ['/a']],
    ['not a longer word', '<a rel=nofollowers href=/a><a rel="no follow" href=/b>', []],
    [
      'not without href, not without rel',
      '<a rel=nofollow><a href=/a><link rel=nofollow href=/c>',
      [],
    ],
    ['the first of two', '<a rel=x rel=nofollow href=/a><a href=/b href=/c rel=ugc>', ['/b']],
    ['entities', '<a rel=&#110;ofollow href="/a?x=1&amp;y=%C3%A9é">', ['/a?x=1&y=%C3%A9%C3%A9']],
    ['base', '<base href=/else/><base href=/not/><a rel=ugc href=a>', ['/else/a']],
    ['not what is no page', '<a rel=ugc href="mailto:a@b"><a rel=ugc href="javascript:x">', []],
    [
      'not in scripts and comments',
      '<!--<a rel=ugc href=/a>--><script><a rel=ugc href=/b></script>',
      [],
    ],
    ['in noscript, too', '<noscript><a rel=ugc href=/a></noscript>', ['/a']],
    [
      'meta',
      '<meta name="ROBOTS" content="noindex, nofollow"><meta name=x>',
      ['robots=noindex, nofollow'],
    ],
  ])('%s', (_, html, wanted) => {
    const bytes = Buffer.from(html);
    for (const { chunks } of chunkings(bytes)) expect(said(chunks)).toEqual(wanted);
  });

  test('an attribute longer than what is kept', () => {
    const long = 'x'.repeat(5_000);
    const html = `<a data-x="${long}" rel="${' '.repeat(3_000)}nofollow" href="/${long}">`;
    for (const { chunks } of chunkings(Buffer.from(html)))
      expect(said(chunks)).toEqual([`/${long}`]);
  });

  test('what the first bytes leave open is decided at the end', () => {
    const html = Buffer.from('<title>é</title><a rel=ugc href=/a>', 'latin1');
    expect(said([html], 'text/html')).toEqual(['/a']);
  });
});
