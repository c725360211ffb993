// Where elements stand, as style sheets see it: the tree of HTML 13.2.6 as far as pages rely on it. End tags that are left
// out, void elements and first children are in test/browser/style-sheets.test.ts.

import { describe, expect, it } from 'vitest';
import { createScanner } from '../../../../loader/scan/index.ts';
import property from '../../../support/property.ts';
import { cutAt } from '../chunkings.ts';
import { inEveryChunking } from '../every-chunking.ts';

function fetched(chunks: readonly string[]): string[] {
  const scanner = createScanner({ url: 'http://site.example/' });
  const references = [...chunks.flatMap((chunk) => scanner.write(chunk)), ...scanner.end()];
  return references.map(({ url }) => new URL(url).pathname.slice(1));
}

/** Which of the selectors match, by their letters. */
const matching = (html: string, selectors: Readonly<Record<string, string>>): string =>
  inEveryChunking(
    `<style>${Object.entries(selectors)
      .map(([letter, selector]) => `${selector}{background:url(${letter})}`)
      .join('')}</style>${html}`,
    fetched,
  )
    .sort()
    .join('');

describe('HTML 13.2.6.4', () => {
  it.each<[string, string, Record<string, string>, string]>([
    ['p stays open in a button', '<p><button><div>', { a: 'p div' }, 'a'],
    ['a table in a cell', '<table><td><table><td>', { a: 'td td', b: 'tr > td table' }, 'ab'],
    ['self-closing foreign elements', '<svg><g/><a>', { a: 'g a', b: 'svg > a' }, 'b'],
    ['end tags of other elements', '<div></span></i><i>', { a: 'div > i' }, 'a'],
    ['end tags do not leave a cell', '<div><table><td></div><i>', { a: 'td > i' }, 'a'],
    ['the body begins with text', 'a<i>', { a: 'head i', b: 'html > body > i' }, 'b'],
    ['a page without a body', '', { a: 'html', b: 'html > body' }, 'ab'],
    ['a template is elsewhere', '<b><template></b><i></template><i>', { a: 'b > i' }, 'a'],
    ['an empty class is one', '<i></i><p id=x></p><p id=x class>', { a: '[class]' }, 'a'],
  ])('%s', (_, html, selectors, expected) => {
    expect(matching(html, selectors)).toBe(expected);
  });
});

it('is bounded: what is too deep or too many is not known, and nothing is thrown', () => {
  const deep = '<div>'.repeat(5_000);
  expect(matching(`${deep}<i>`, { a: 'div > i' })).toBe('a');
  const many = Array.from({ length: 60_000 }, (_, at) => `<p id=p${at}></p>`).join('');
  expect(fetched([`<style>i{background:url(a)}#p9{background:url(b)}</style>${many}<i>`])).toEqual([
    'b',
  ]);
});

it('is sure of nothing when there is too much to compare', () => {
  const rules = 'x > div div div p{background:url(a)}'.repeat(20_000);
  const many = Array.from({ length: 1_000 }, (_, at) => `<p id=p${at}></p>`).join('');
  const html = `<style>${rules}</style>${many}<style>p{background:url(b)}</style>`;
  expect(fetched([html])).toEqual([]);
});

const pieces = [
  ...'<p> </p> </div> <table> <td> </table> <b> </b>'.split(' '),
  ...['<div class=a>', 'text '],
  ...['<style>@font-face{font-family:f;src:url(f)}</style>', '<style>.a p{font-family:f}</style>'],
  ...['<style>div > p{background:url(a)}</style>', '<style>.a{display:none}</style>'],
  ...['<style>p{background:url(b)}b{font-family:g!important}</style>', '<template>', '</template>'],
  ...['<p style="background:url(c)">', '<p style="display:none">', '<svg>', '</svg>', '<!-- -->'],
];

it('is the same in two chunkings of any page', () => {
  const page = property
    .array(property.constantFrom(...pieces), { maxLength: 40 })
    .map((texts) => texts.join(''));
  property.assert(
    property.property(page, property.array(property.nat(400), { maxLength: 20 }), (html, cuts) => {
      const places = cuts.filter((place) => place < html.length);
      expect(fetched(cutAt(html, places))).toEqual(fetched([html]));
      expect(fetched([...html])).toEqual(fetched([html]));
    }),
    { numRuns: 500 },
  );
});
