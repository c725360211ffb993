// Link (RFC 8288 3, appendix B.2 to B.4): the RFC's own examples, the corners of its grammar, the bounds.

import { describe, expect, it } from 'vitest';
import { formatLink, parseLinks } from '../../../prefetchd/wire/link-header.ts';

const base = 'http://example.com/dir/page';
/** `/b next title=x`: target, relations and parameters of each link; an anchor in front of them. */
const parse = (field: string | string[]) =>
  parseLinks(field, base).map(({ url, rels, params, anchor }) =>
    [
      ...(anchor === null ? [] : [`${anchor}:`]),
      ...[url.replace('http://example.com', ''), ...rels],
      ...[...params].flatMap(([name, value]) => (name === 'rel' ? [] : [`${name}=${value}`])),
    ].join(' '),
  );
const targets = (field: string | string[]) => parseLinks(field, base).map(({ url }) => url);

describe("RFC 8288's own examples", () => {
  it.each([
    [
      'one link with a title',
      '<http://example.com/TheBook/chapter2>; rel="previous"; title="previous chapter"',
      ['/TheBook/chapter2 previous title=previous chapter'],
    ],
    [
      'an extension relation type is a URI, and the target is resolved',
      '</>; rel="http://example.net/foo"',
      ['/ http://example.net/foo'],
    ],
    [
      'an anchor makes it a link from elsewhere',
      '</terms>; rel="copyright"; anchor="#foo"',
      ['http://example.com/dir/page#foo: /terms copyright anchor=#foo'],
    ],
    [
      'title* is decoded (RFC 8187)',
      '</TheBook/chapter2>; rel="previous"; title*=UTF-8\'de\'letztes%20Kapitel, ' +
        '</TheBook/chapter4>; rel="next"; title*=UTF-8\'de\'n%c3%a4chstes%20Kapitel',
      [
        ...['/TheBook/chapter2 previous title*=letztes Kapitel'],
        ...['/TheBook/chapter4 next title*=nächstes Kapitel'],
      ],
    ],
  ])('3.5: %s', (_, field, links) => expect(parse(field)).toEqual(links));

  it('3.5: several relation types in one rel', () => {
    const field = '<http://example.org/>; rel="start http://example.net/relation/other"';
    expect(parse(field)).toEqual(['http://example.org/ start http://example.net/relation/other']);
  });

  it('3.5: two lines are one list', () => {
    const lines = ['<https://example.org/>; rel=start', '<https://example.org/index>; rel="index"'];
    expect(parse(lines)).toEqual(parse(lines.join(', ')));
    expect(targets(lines)).toEqual(['https://example.org/', 'https://example.org/index']);
  });
});

describe('the grammar (RFC 8288 3, B.2 to B.4)', () => {
  it('commas and semicolons inside <> and quotes separate nothing', () => {
    const field = '</a,b;c>; rel=next; title="x, </evil>; rel=preload; \\"y\\"", </d>; rel=prev';
    expect(parse(field)).toEqual(['/a,b;c next title=x, </evil>; rel=preload; "y"', '/d prev']);
  });

  it('parameters need no value, and white space may stand around = and ; (BWS)', () => {
    const spaced = '</f.woff2>\t; rel = preload ;as= "font";crossorigin ; x=';
    expect(parse(spaced)).toEqual(['/f.woff2 preload as=font crossorigin= x=']);
  });

  it('of several rel parameters the first counts (3.3), of others too', () => {
    const [link] = parseLinks('</a>; rel=next; rel=prefetch; title=x; title=y', base);
    expect(link?.rels).toEqual(['next']);
    expect(link?.params.get('title')).toBe('x');
  });

  it('names and relation types are compared without case (3.3)', () => {
    expect(parse('</a>; REL=PreFetch; As=Image')).toEqual(['/a prefetch as=Image']);
  });

  it('empty list members are skipped (RFC 9110 5.6.1)', () => {
    expect(parse(' , ,</a>; rel=a,, ,</b>; rel=b, ')).toEqual(['/a a', '/b b']);
  });

  it('a link without rel is no link (3.3), nor one whose target or anchor is no URL', () => {
    const none = '</a>, </b>; title=x, <http://[>; rel=a, </c>; rel=c; anchor="http://["';
    expect(targets(none)).toEqual([]);
  });

  it('junk spoils its own member only', () => {
    const field = 'junk "a, </no>; rel=x", </a>; rel="a" "more, junk", </b>; rel=b';
    expect(parse(field)).toEqual(['/a a', '/b b']);
    expect(targets('</a>; rel="a" </no>; rel="x", </b>; rel=b')).toHaveLength(2);
    expect(targets(['</a>; rel=a; title="never closed', '</b>; rel=b'])).toHaveLength(2);
  });

  it('ends at a < that never closes', () => {
    expect(targets('</a>; rel=a, </b; rel=b')).toEqual(['http://example.com/a']);
  });

  it('title* that is no UTF-8 is left out', () => {
    expect(parse("</a>; rel=a; title*=UTF-8''%ff; title*=iso-8859-1''x")).toEqual(['/a a']);
  });

  it('a parameter named __proto__ is a parameter', () => {
    const [link] = parseLinks('</a>; rel=a; __proto__=x', base);
    expect(link?.params.get('__proto__')).toBe('x');
  });
});

describe('the bounds', () => {
  it('reads at most maxLinks', () => {
    expect(parseLinks('</a>; rel=a, '.repeat(500), base)).toHaveLength(100);
    expect(parseLinks('</a>; rel=a, '.repeat(9), base, { maxLinks: 3 })).toHaveLength(3);
  });

  it('a link that maxCharacters cuts is left out whole', () => {
    const field = '</a>; rel=a, </b>; rel=prefetch';
    for (let maxCharacters = 0; maxCharacters < field.length; maxCharacters++) {
      const urls = parseLinks(field, base, { maxCharacters }).map(({ rels }) => rels.join());
      expect(urls).toEqual(maxCharacters > '</a>; rel=a'.length ? ['a'] : []);
    }
    expect(parseLinks(field, base, { maxCharacters: field.length })).toHaveLength(2);
  });

  it('nothing in, nothing out', () => {
    expect(parseLinks(undefined, base)).toEqual([]);
    expect(parseLinks('', base)).toEqual([]);
    expect(parseLinks('</a>; rel=a', 'no base')).toEqual([]);
  });
});

describe('formatLink', () => {
  it('writes tokens bare, anything else in quotes, null without a value', () => {
    const params = Object.entries({ rel: 'preload', title: 'say "hi" \\ bye', crossorigin: null });
    const link = formatLink('/a', params);
    expect(link).toBe('</a>; rel=preload; title="say \\"hi\\" \\\\ bye"; crossorigin');
    expect(parse(link)).toEqual(['/a preload title=say "hi" \\ bye crossorigin=']);
  });

  it('escapes what would leave the <>', () => {
    const link = formatLink('/a>; rel=preload, <//evil>\r\nX: y\ud800ä', [['rel', 'prefetch']]);
    expect(link).toMatch(/^<[^<>\s]*>; rel=prefetch$/);
    expect(targets(link)).toEqual([
      'http://example.com/a%3E;%20rel=preload,%20%3C//evil%3E%0D%0AX:%20y%EF%BF%BD%C3%A4',
    ]);
  });
});
