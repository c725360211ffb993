// Hints as Link members: what goes out, what stays at home, what comes back, and how they join a field
// that is there already.

import { describe, expect, it } from 'vitest';
import type { Hint } from '../../../prefetchd/wire/hint.ts';
import { parseLinks } from '../../../prefetchd/wire/link-header.ts';
import { appendLinkHints, hintsOfLinks, linkHeaderOf } from '../../../prefetchd/wire/link-hints.ts';

const pageUrl = 'https://site.example/dir/page';
const origin = 'https://site.example';
const document = (url: string, probability = 0.5): Hint => ({ url, probability, kind: 'document' });
const object = (url: string, probability = 0.5): Hint => ({ url, probability, kind: 'object' });
const objectOf = (navigation: 'current' | 'next') => {
  return (url: string, probability = 0.5): Hint => ({ ...object(url, probability), navigation });
};
const [own, ofNext] = [objectOf('current'), objectOf('next')];
const read = (field: string) => hintsOfLinks(parseLinks(field, pageUrl), { pageUrl });

describe('hints as links', () => {
  it('a document is prefetched, an embedded object preloaded, best first', () => {
    expect(linkHeaderOf([object('/i.png', 0.714), document('/a?b', 0.83)])).toBe(
      '</a?b>; rel=prefetch; probability=0.83, </i.png>; rel=preload; as=image; probability=0.71',
    );
  });

  it('what a next page embeds is prefetched, never preloaded: that is for the page shown (HTML 4.6.7)', () => {
    expect(linkHeaderOf([ofNext('/next.png', 0.7), ofNext('/f.woff2', 0.6), own('/own.png')])).toBe(
      '</next.png>; rel=prefetch; as=image; probability=0.7, ' +
        '</f.woff2>; rel=prefetch; as=font; crossorigin; probability=0.6, ' +
        '</own.png>; rel=preload; as=image; probability=0.5',
    );
    // Without as, a reader would take it for a page.
    expect(linkHeaderOf([ofNext('/beacon')])).toBe('');
  });

  it('the largest image of the page stands before its other objects, whatever its name', () => {
    const largest: Hint = { ...own('/hero', 0.6), isLargest: true };
    expect(linkHeaderOf([own('/i.png', 0.9), largest])).toBe(
      '</hero>; rel=preload; as=image; fetchpriority=high; probability=0.6, ' +
        '</i.png>; rel=preload; as=image; probability=0.9',
    );
  });

  it('pages stand first, then what next pages embed, then what this page embeds; also under the caps', () => {
    const hints = [own('/o.png', 0.9), ofNext('/n.png', 0.8), document('/b', 0.7)];
    const urls = (maxLinks: number) =>
      read(linkHeaderOf(hints, { maxLinks })).map(({ url }) => url);
    expect(urls(8)).toEqual([`${origin}/b`, `${origin}/n.png`, `${origin}/o.png`]);
    expect(urls(2)).toEqual([`${origin}/b`, `${origin}/n.png`]);
    expect(urls(1)).toEqual([`${origin}/b`]);
  });

  it.each([
    ['/a.css', 'as=style'],
    ['/a.js?v=3', 'as=script'],
    ['/a.mjs', 'as=script; crossorigin'],
    ['/a.woff2', 'as=font; crossorigin'],
    ['/a.json', 'as=fetch; crossorigin'],
    ['/a.SVG', 'as=image'],
  ])('the extension of %s says how it is fetched: %s (HTML 4.6.7.17)', (url, how) => {
    expect(linkHeaderOf([object(url, 1)])).toBe(`<${url}>; rel=preload; ${how}; probability=1`);
  });

  it.each(['/beacon', '/movie.mp4', '/site.webmanifest', '/x.js/y', '/q?f=a.png', '/a.png/'])(
    'an object whose use is unknown is not preloaded: %s',
    (url) => {
      expect(linkHeaderOf([object(url)])).toBe('');
    },
  );

  it('where nobody can tell it is a preload, which says that the page shown embeds it', () => {
    const field = linkHeaderOf([object('/i.png', 0.71)]);
    expect(field).toBe('</i.png>; rel=preload; as=image; probability=0.71');
    expect(read(field)).toEqual([{ ...own('/i.png', 0.71), url: `${origin}/i.png` }]);
  });

  it.each([
    ...['//evil.example/', '/\\evil.example/', '\\\\evil.example/', '/\t/evil.example/', '//..'],
    ...['/./..//evil.example/', 'https://evil.example/', 'http://site.example/', 'https:evil'],
    ...['https://site.example:8443/', 'https://user:pass@site.example/', 'http:evil', 'relative'],
    ...['https://site.example//evil.example/', 'https://site.example.evil.example/', '', '?q'],
    ...['javascript:alert(1)', 'data:text/html,x'],
    `/${'a'.repeat(2048)}`,
    `/${'ä'.repeat(1000)}`,
  ])('stays at home: %s', (url) => {
    expect(linkHeaderOf([document(url)], { origin })).toBe('');
  });

  it('an absolute URL of the own origin goes out as its path; without an origin none does', () => {
    const hint = document('HTTPS://SITE.example:443/a/../b#c', 1);
    expect(linkHeaderOf([hint], { origin })).toBe('</b>; rel=prefetch; probability=1');
    expect(linkHeaderOf([hint])).toBe('');
    expect(linkHeaderOf([hint], { origin: 'no origin' })).toBe('');
  });

  it('one URL is named once, with its best probability', () => {
    const field = linkHeaderOf([document('/a', 0.2), document('/./a#x', 0.9)]);
    expect(field).toBe('</a>; rel=prefetch; probability=0.9');
  });

  it.each([Number.NaN, -0.1, 1.1, Number.POSITIVE_INFINITY])(
    'a probability of %s is none, and no hint',
    (probability) => {
      expect(linkHeaderOf([document('/a', probability)])).toBe('');
    },
  );

  it('at most 8 links and 2,048 bytes, best first; one that does not fit is left out whole', () => {
    const many = Array.from({ length: 20 }, (_, index) => document(`/${index}`, 1 - index / 100));
    expect(read(linkHeaderOf(many)).map(({ url }) => url)).toEqual(
      Array.from({ length: 8 }, (_, index) => `${origin}/${index}`),
    );
    const long = [document(`/${'a'.repeat(1500)}`, 0.9), document(`/${'b'.repeat(1500)}`, 0.8)];
    const field = linkHeaderOf([...long, document('/c', 0.7)]);
    expect(read(field).map(({ url }) => url.slice(-2))).toEqual(['aa', '/c']);
    const exact = '</a>; rel=prefetch; probability=0.5, </b>; rel=prefetch; probability=0.5'.length;
    const two = [document('/a'), document('/b')];
    expect(linkHeaderOf(two, { maxBytes: exact })).toHaveLength(exact);
    expect(linkHeaderOf(two, { maxBytes: exact - 1 })).toBe('</a>; rel=prefetch; probability=0.5');
  });
});

describe('hints in links of others', () => {
  it('preload, modulepreload and prefetch are hints; without a number they count as 1', () => {
    const field =
      '<a.css>; rel="preload"; as=style, <https://cdn.example/m.js>; rel=modulepreload, ' +
      '</next#part>; rel="next prefetch", </canonical>; rel=canonical, <mailto:x@y>; rel=prefetch';
    expect(read(field)).toEqual([
      own('https://site.example/dir/a.css', 1),
      own('https://cdn.example/m.js', 1),
      document('https://site.example/next', 1),
    ]);
  });

  it('as tells the kind where it stands, and the relation which page an object is for', () => {
    const field = '</a>; rel=prefetch; as=script, </b>; rel=prefetch; as=document';
    const told = read(`${field}, </c>; rel=preload`).map(({ kind, navigation = '' }) => [
      kind + navigation,
    ]);
    expect(told.flat()).toEqual(['objectnext', 'document', 'objectcurrent']);
  });

  it('other origins are left out on demand', () => {
    const links = parseLinks('<//cdn.example/a>; rel=prefetch, </b>; rel=prefetch', pageUrl);
    const urls = (sameOriginOnly: boolean) =>
      hintsOfLinks(links, { pageUrl, sameOriginOnly }).map(({ url }) => url);
    expect(urls(false)).toEqual(['https://cdn.example/a', 'https://site.example/b']);
    expect(urls(true)).toEqual(['https://site.example/b']);
  });

  it('a link from another resource is no hint (RFC 8288 3.2); one from the page itself is', () => {
    const field = `</a>; rel=prefetch; anchor="/other", </b>; rel=prefetch; anchor="${pageUrl}"`;
    expect(read(field).map(({ url }) => url)).toEqual(['https://site.example/b']);
  });

  it.each(['2', '-1', 'NaN', 'Infinity', '1e0', '0x1', '', '0.5 0.5'])(
    'a probability of "%s" can be relied on for nothing: 0',
    (text) => {
      expect(read(`</a>; rel=prefetch; probability="${text}"`)[0]?.probability).toBe(0);
    },
  );
});

describe('an upstream that has a Link field', () => {
  const append = (existing: string | string[] | undefined, ...hints: Hint[]) =>
    appendLinkHints(existing, pageUrl, hints, { origin });

  it('its value stays first and untouched, ours comes after', () => {
    expect(append(' </x>;rel="next" ,', document('/a', 1))).toBe(
      ' </x>;rel="next" ,, </a>; rel=prefetch; probability=1',
    );
    expect(append(['</x>; rel=a', '</y>; rel=b'], document('/a', 1))).toBe(
      '</x>; rel=a, </y>; rel=b, </a>; rel=prefetch; probability=1',
    );
  });

  it('a URL that is named there is not named again, however it is spelled', () => {
    const existing = '<https://site.example/a>; rel=preload; as=style, <b>; rel=next';
    expect(append(existing, document('/a'), document('/dir/b'), document('/dir/../c', 1))).toBe(
      `${existing}, </c>; rel=prefetch; probability=1`,
    );
  });

  it('nothing of ours changes nothing; nothing of theirs is ours alone', () => {
    expect(append('</x>; rel=next')).toBe('</x>; rel=next');
    expect(append(undefined)).toBe('');
    expect(append(undefined, document('/a', 1))).toBe('</a>; rel=prefetch; probability=1');
  });
});
