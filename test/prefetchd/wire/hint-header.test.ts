// Prefetch-Hints: compact JSON, both ways.

import { describe, expect, it } from 'vitest';
import { type Hint, hintHeaderOf, parseHintHeader } from '../../../prefetchd/wire/index.ts';

const base = 'https://site.example/dir/page';
const origin = 'https://site.example';
const hints: Hint[] = [
  { url: '/about', probability: 0.83, kind: 'document' },
  { url: '/i.png', probability: 0.7, kind: 'object' },
];
const absolute = hints.map((hint) => ({ ...hint, url: origin + hint.url }));

describe('Prefetch-Hints', () => {
  it('is compact: an entry is [url, probability], and "object" for one', () => {
    expect(hintHeaderOf(hints)).toBe('[["/about",0.83],["/i.png",0.7,"object"]]');
  });

  it('says which page an object is for, where that is known', () => {
    const objects: Hint[] = [
      { url: '/n.png', probability: 0.8, kind: 'object', navigation: 'next' },
      { url: '/o.png', probability: 0.9, kind: 'object', navigation: 'current' },
    ];
    const field = hintHeaderOf(objects);
    expect(field).toBe('[["/n.png",0.8,"object","next"],["/o.png",0.9,"object","current"]]');
    expect(parseHintHeader(field, base)).toEqual(
      objects.map((hint) => ({ ...hint, url: origin + hint.url })),
    );
  });

  it.each([
    '[["/i.png",0.7,"object","later"]]',
    '[["/i.png",0.7,"object",7]]',
    '[["/i.png",0.7,"object",null,1]]',
  ])('a navigation that is none is left out, and the hint stands: %s', (field) => {
    expect(parseHintHeader(field, base)).toEqual([absolute[1]]);
  });

  it('a page has none: it is navigated to', () => {
    expect(parseHintHeader('[["/about",0.83,"document","current"]]', base)).toEqual([absolute[0]]);
    expect(hintHeaderOf([{ ...(hints[0] as Hint), navigation: 'current' }])).toBe(
      '[["/about",0.83]]',
    );
  });

  it('several header lines are one list', () => {
    const lines = hints.map((hint) => hintHeaderOf([hint]));
    expect(parseHintHeader(lines, base)).toEqual(absolute);
    expect(parseHintHeader(lines.join(', '), base)).toEqual(absolute);
  });

  it('carries what a Link cannot: objects whose use is unknown', () => {
    expect(hintHeaderOf([{ url: '/beacon', probability: 1, kind: 'object' }])).toBe(
      '[["/beacon",1,"object"]]',
    );
  });

  it('is ASCII, whatever the URL', () => {
    const url = '/ä"\\\u2028\ud800';
    const field = hintHeaderOf([{ url, probability: 1, kind: 'document' }]);
    expect(field).toMatch(/^[\x20-\x7e]+$/);
    expect(parseHintHeader(field, base)[0]?.url).toBe(new URL(url, base).href);
    expect(parseHintHeader('[["/\\u00e4",1]]', base)[0]?.url).toBe(`${origin}/%C3%A4`);
  });

  it('only the own origin, out and in', () => {
    const foreign: Hint[] = ['//evil.example/', 'https://evil.example/', 'javascript:1'].map(
      (url) => ({ url, probability: 1, kind: 'document' }),
    );
    expect(hintHeaderOf(foreign, { origin })).toBe('');
    expect(parseHintHeader(JSON.stringify(foreign.map(({ url }) => [url, 1])), base)).toEqual([]);
  });

  it('at most 8 hints and 2,048 bytes; one that does not fit is left out whole', () => {
    const many = Array.from(
      { length: 20 },
      (_, index): Hint => ({
        url: `/${index}`,
        probability: 0.5,
        kind: 'document',
      }),
    );
    expect(JSON.parse(hintHeaderOf(many))).toHaveLength(8);
    const exact = '[["/0",0.5],["/1",0.5]]'.length;
    expect(hintHeaderOf(many, { maxBytes: exact })).toBe('[["/0",0.5],["/1",0.5]]');
    expect(hintHeaderOf(many, { maxBytes: exact - 1 })).toBe('[["/0",0.5]]');
  });

  it.each([
    '',
    '{',
    '7',
    '[7]',
    '[["/a"]]',
    '[["/a","1"]]',
    '[["/a",1.5]]',
    '[["/a",1,"page"]]',
    '[[7,1]]',
    '[["http://[",1]]',
    '['.repeat(60_000),
  ])('what is no hint is skipped: %.30s', (field) => {
    expect(parseHintHeader(field, base)).toEqual([]);
  });

  it('reads what it can, at most 100', () => {
    expect(parseHintHeader('[7,["/about",0.83],[],["/i.png",0.7,"object"]]', base)).toEqual(
      absolute,
    );
    expect(parseHintHeader(`[${Array(300).fill('["/a",1]').join()}]`, base)).toHaveLength(100);
    expect(parseHintHeader(`[["/a",1]]${' '.repeat(65_536)}`, base)).toEqual([]);
    expect(parseHintHeader('[["/a",1]]', 'no base')).toEqual([]);
  });
});
