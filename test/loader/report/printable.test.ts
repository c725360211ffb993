import { describe, expect, it } from 'vitest';
import {
  clipMiddle,
  inert,
  printableText,
  printableUrl,
  shortName,
  wrapText,
} from '../../../loader/report/printable.ts';
import fc from '../../support/property.ts';
import { hostileUrls } from './sample-loads.ts';

const ascii = /^[\x20-\x7e]*$/;
const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...hostileUrls));

describe('printable text', () => {
  it('is printable ASCII, whatever came', () => {
    fc.assert(
      fc.property(anyText, anyText, (text, page) => {
        expect(printableUrl(text)).toMatch(ascii);
        expect(printableText(text)).toMatch(ascii);
        expect(shortName(text, page)).toMatch(ascii);
      }),
    );
  });

  it('shows what was hidden: escapes, bidi overrides, wide characters', () => {
    expect(printableUrl('http://a/\u001b[31m\u202e\u6f22')).toBe(
      'http://a/%1B[31m%E2%80%AE%E6%BC%A2',
    );
    expect(printableText('a\u001b[2J\r\n\u202eb')).toBe('a\\u{1b}[2J \\u{202e}b');
  });

  it('leaves plain text alone', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\x21-\x7e]*$/), (text) => {
        expect(printableUrl(text)).toBe(text);
        expect(printableText(text)).toBe(text);
      }),
    );
  });
});

describe('inert', () => {
  it.each([
    ['::error::x\n \t::notice::x\na ::b', '\\u003a:error::x\n \t\\u003a:notice::x\na ::b'],
    ['\u001b[31m::error::x\u001b[0m', '\u001b[31m\\u003a:error::x\u001b[0m'],
    ['a ##[x] ##vso[x]', 'a \\u0023#[x] \\u0023#vso[x]'],
    ['\r::x \u009b2J \u001b[2J \u202e\u2028', '\\u000d::x \\u009b2J \\u001b[2J \\u202e\\u2028'],
    [
      '## a [b] http://[::1]/#a[0] \u6f22 \u{1f469}',
      '## a [b] http://[::1]/#a[0] \u6f22 \u{1f469}',
    ],
  ])('%j becomes %j', (text, shown) => {
    expect(inert(text, { color: true })).toBe(shown);
    expect(inert(shown, { color: true })).toBe(shown);
  });

  it('leaves colours where they are ours, and JSON the same value', () => {
    expect(inert('\u001b[31mred', { color: false })).toBe('\\u001b[31mred');
    fc.assert(
      fc.property(fc.json(), anyText, (json, text) => {
        const given = JSON.stringify(
          { json, text, '##[x]': ['##vso[x]', '::x', '\u009b\u2028'] },
          null,
          2,
        );
        expect(JSON.parse(inert(given, { color: false }))).toEqual(JSON.parse(given));
      }),
    );
  });
});

it.each([
  ['http://a.example/', 'a.example/'],
  ['http://a.example/x/y.gif?z=1', 'y.gif?z=1'],
  ['http://a.example/x/', 'x/'],
  ['http://b.example/x/y.gif', 'b.example/y.gif'],
  ['http://b.example:81/', 'b.example:81/'],
  ['data:,hi', 'data:,hi'],
])('shortName: of %s is %s', (url, name) => {
  expect(shortName(url, 'http://a.example/page')).toBe(name);
});

describe('clipMiddle and wrapText', () => {
  it('keep to the width', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 40 }), (text, width) => {
        expect(clipMiddle(text, width).length).toBeLessThanOrEqual(width);
        for (const line of wrapText(text, width)) expect(line.length).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('keep both ends, and break at spaces', () => {
    expect(clipMiddle('photograph.gif', 9)).toBe('phot\u2026.gif');
    expect(wrapText('the server closed', 10)).toEqual(['the server', 'closed']);
    expect(wrapText('abcdef g', 4)).toEqual(['abcd', 'ef g']);
  });
});
