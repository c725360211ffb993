// What Chromium fetches for style sheets, against the scanner: pages with one sheet each.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CssScanner } from '../../loader/scan/css/css-scanner.ts';
import type { CssFound, Shown } from '../../loader/scan/css/found.ts';
import { isSure } from '../../loader/scan/css/is-sure.ts';
import { hasChromium, launchChromium } from '../support/chromium.ts';

const image = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const screen = { width: 1280, height: 800, dpr: 1 };

interface Case {
  css: string;
  html?: string;
  dpr?: number;
  /** What Chromium does otherwise, by path; '': it fetches nothing. Why is in the title. */
  differs?: string;
}

const face = (family: string, more = '') =>
  `@font-face{font-family:${family};src:url(${family}.woff2)${more}}`;
const faces = (...descriptors: string[]) =>
  descriptors.map((more, at) => `@font-face{font-family:f;src:url(${at}.woff2);${more}}`).join('');
const inDiv = '<div><p>text</p></div>';

const cases: Record<string, Case> = {
  'imports whatever their media': { css: '@import "a.css" print;@import url(b.css) (width<9px);' },
  'imports with layer and supports': {
    css: '@import "a.css" layer(x) supports(display:grid) screen;@import "b.css" supports(not (color:red));@import "c.css" supports(-moz-foo:bar);',
  },
  'imports after @charset, @layer, unknown and invalid rules': {
    css: '@charset "utf-8";@layer a;@foo;%%{}@import "a.css";@import"b.css";',
  },
  'no imports after @layer between them': {
    css: '@import "a.css";@layer x;@import "b.css";',
  },
  'no imports after rules': { css: 'p{}@import "a.css";' },
  'no imports after @namespace': { css: '@namespace "x";@import "a.css";' },
  'no imports after a block of @layer': { css: '@layer x{}@import "a.css";' },
  'imports in html comments, escaped, without an end': {
    css: '<!-- @\\69mport "a.css"; --> @import url("b.css")',
  },
  'no src() and no block in imports': {
    css: '@import src("a.css");@import "b.css" {}@import "c.css";',
  },
  'the last declaration': { css: 'p{background:url(a);background-image:url(b)}' },
  'a shorthand resets': { css: 'p{background-image:url(a);background:red}' },
  important: { css: 'p{background:url(a)!important}p{background:url(b)}' },
  'the last rule': { css: 'p{background:url(a)}p{background:url(b)}' },
  'all layers': { css: 'p{background:url(a),url(b)}' },
  'functions of others': {
    css: 'p{background:url(a);background:-moz-linear-gradient(red,url(b))}',
  },
  'no src(), image() and cross-fade()': {
    css: 'p{background:src("a")}p{mask:image(url(b))}p{border-image:cross-fade(url(c),url(d),50%)}',
  },
  '-webkit-cross-fade()': { css: 'p{background:-webkit-cross-fade(url(a),url(b),50%)}' },
  'image-set() at 1': { css: 'p{background:image-set(url(a) 1x,"b" 2x)}' },
  'image-set() at 2': { css: 'p{background:image-set(url(a) 1x,"b" 2x)}', dpr: 2 },
  'image-set() of three': { css: 'p{background:-webkit-image-set("a" 3x,"b" 144dpi,"c" .5x)}' },
  'image-set() of small ones': { css: 'p{background:image-set("a" .5x,"b" .8x)}' },
  'image-set() with types': {
    css: 'p{background:image-set("a" type("image/foo"),"b" type("image/png"))}',
  },
  'image-set() that is invalid': { css: 'p{background:image-set("a" -1x,"b" 2x)}' },
  'display: none': { css: 'p{display:none;background:url(a)}' },
  'visibility: hidden': { css: 'p{visibility:hidden;background:url(a)}' },
  'below the first view': { css: 'p{margin-top:9000px;background:url(a)}' },
  hover: { css: 'p:hover{background:url(a)}' },
  'boxes of the root': {
    css: ':root{background:url(a)}body{background:url(b)}head{background:url(c)}',
  },
  '::before without content': { css: 'p::before{background:url(a)}' },
  '::before with content': {
    css: 'p::before{content:"";background:url(a)}p:after{content:url(b)}',
  },
  '::before with content elsewhere': { css: 'p::before{content:""}p::before{background:url(a)}' },
  '::first-line and ::first-letter': {
    css: 'p::first-line{background:url(a)}p::first-letter{background:url(b)}',
  },
  '::marker': {
    css: 'li::marker{content:url(a);background:url(b)}',
    html: '<ul><li>text</ul>',
  },
  '::selection': { css: 'p::selection{background:url(a)}' },
  '@media': {
    css: '@media print{p{background:url(a)}}@media screen{p{mask:url(b)}}@media (max-width:9px){p{cursor:url(c),auto}}',
  },
  '@supports': {
    css: '@supports (display:grid){p{background:url(a)}}@supports not (display:grid){p{background:url(b)}}',
  },
  '@layer, @page, @counter-style and unknown ones': {
    css: '@layer x{p{background:url(a)}}@page{background:url(b)}@counter-style c{symbols:url(c)}@foo{p{mask:url(d)}}',
  },
  'nested rules': {
    css: 'div{p{background:url(a)}> p{mask:url(b)}& i{cursor:url(c),auto}@media screen{background:url(d)}}',
    html: inDiv,
  },
  'custom properties': {
    css: ':root{--a:url(a);--b:var(--a);--c:url(c)}p{background:var(--b)}i{background:var(--c)}',
  },
  'fallbacks of custom properties': {
    css: ':root{--a:red}p{background:var(--a,url(a));mask:var(--b,url(b))}',
  },
  'other properties of images': {
    css: 'p{list-style-image:url(a);cursor:url(b),auto;border-image:url(c) 3;shape-outside:url(d);-webkit-box-reflect:below 0 url(e)}',
  },
  'properties that nobody knows': { css: 'p{behavior:url(a);-moz-binding:url(b);foo:url(c)}' },
  'documents of effects': {
    css: 'p{filter:url(a.svg#x);clip-path:url(b.svg#x);mask-image:url(c.svg#x);backdrop-filter:url(d.svg#x)}',
  },
  'content of an element': { css: 'p{content:url(a)}' },
  'data:, fragments and nothing': {
    css: 'p{background:url(data:image/png;base64,aaaa),url(#x),url(""),url(a)}',
  },
  'a bad URL and an open one': { css: 'p{background:url(a b)}p{mask:url(c' },
  'fonts that are used, and not': { css: `${face('x')}${face('y')}p{font-family:arial,X}` },
  'fonts of absent elements': { css: `${face('x')}i{font-family:x}` },
  'the font shorthand': { css: `${face('x')}p{font:italic 12px/1.5 "x",serif}` },
  'fonts by custom properties': { css: `${face('x')}:root{--f:x}p{font-family:var(--f)}` },
  'fonts of hover': { css: `${face('x')}p:hover{font-family:x}` },
  'fonts of ::before': {
    css: `${face('x')}${face('y')}p::before{font-family:x;content:"a"}p::after{font-family:y}`,
  },
  'no bold without bold text': { css: `${faces('', 'font-weight:bold')}p{font-family:f}` },
  'bold faces': {
    css: `${faces('', 'font-weight:600', 'font-style:italic')}p{font-family:f}`,
    html: '<p>text <b>bold</b>',
  },
  'italic faces': {
    css: `${faces('', 'font-weight:600', 'font-style:oblique')}p{font-family:f}`,
    html: '<p>text <em>italic</em>',
  },
  'the nearest weight': { css: `${faces('font-weight:300', 'font-weight:500')}p{font-family:f}` },
  'a range of weights': { css: `${faces('font-weight:100 900')}p{font-family:f}` },
  'the weight of the shorthand': {
    css: `${faces('', 'font-weight:700')}p{font:bold 12px f}`,
  },
  'unicode-range': {
    css: `${faces('unicode-range:U+4??', 'unicode-range:U+0-ff,U+131')}p{font-family:f}`,
  },
  'formats of fonts': {
    css: '@font-face{font-family:f;src:url(a.eot);src:local("no such"),url(a.eot?#x) format("embedded-opentype"),url(a.svg#f) format("svg"),url(a.woff2) format("woff2")}p{font-family:f}',
  },
  'techniques of fonts': {
    css: '@font-face{font-family:f;src:url(a.woff2) tech(incremental),url(b.woff2) tech(variations)}p{font-family:f}',
  },
  'a font of Internet Explorer': {
    css: '@font-face{font-family:f;src:url(a.eot)}p{font-family:f}',
  },
  // What follows needs values, layout or the cascade, which the scanner does not do.
  'a value that is invalid': { css: 'p{background:url(a);background:url(b) foo}', differs: 'a' },
  'a property that is not supported': {
    css: '@supports (foo:bar){p{background:url(a)}}',
    differs: '',
  },
  'in display: none': { css: 'div{display:none}p{background:url(a)}', html: inDiv, differs: '' },
  'in details': { css: 'p{background:url(a)}', html: '<details><p>text</details>', differs: '' },
  'a more specific rule': {
    css: 'p.a{background:url(a)}p{background:url(b)}',
    differs: 'a',
  },
  'a combination that is absent': {
    css: 'div p{background:url(a)}',
    html: '<div></div><p>x',
    differs: '',
  },
  'a placeholder that is absent': {
    css: 'input::placeholder{background:url(a)}',
    html: '<input>',
    differs: '',
  },
  'a family that is overridden': {
    css: `${face('x')}body{font-family:x}p{font-family:arial}`,
    differs: '',
  },
  'bold text alone': {
    css: `${faces('', 'font-weight:700')}body{font-family:f}`,
    html: '<h1>text</h1>',
    differs: '1.woff2',
  },
  'no text': { css: `${face('x')}p{font-family:x}`, html: '<p></p>', differs: '' },
  'a string by var() in image-set()': {
    css: ':root{--a:"a"}p{background:image-set(var(--a) 1x)}',
    differs: 'a',
  },
  'the initial value of @property': {
    css: '@property --x{syntax:"<image>";inherits:false;initial-value:url(a)}p{background:var(--x)}',
    differs: 'a',
  },
  'a type that the scanner does not know': {
    css: 'p{background:image-set("a" type("image/jxl"),"b" type("image/png"))}',
    differs: 'a',
  },
  // Perhaps fetched, says the scanner.
  '@container': {
    css: 'div{container-type:inline-size}@container (min-width:9px){p{background:url(a)}}',
    html: inDiv,
    differs: 'a',
  },
  '@scope': { css: '@scope (.a){:scope{background:url(a)}}', differs: 'a' },
  '@keyframes': {
    css: '@keyframes k{from{background:url(a)}}p{animation:k 1s}',
    differs: 'a',
  },
  // Of @starting-style it fetches images or not, depending on the time.
};

const usual = '<p class="a" id="i">text</p>';

describe.skipIf(!hasChromium)('Chromium and the scanner of style sheets', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  const pages = new Map<number, Promise<Page>>();
  function pageOf(dpr: number): Promise<Page> {
    const { width, height } = screen;
    const options = { viewport: { width, height }, deviceScaleFactor: dpr };
    const page = pages.get(dpr) ?? browser.newPage(options);
    pages.set(dpr, page);
    return page;
  }

  /** On a host of its own, since Chromium asks for an image only once. */
  async function asked({ css, html = usual, dpr = 1 }: Case, host: string): Promise<string[]> {
    const page = await pageOf(dpr);
    const paths = new Set<string>();
    const markup = `<!doctype html><link rel=stylesheet href=s.css>${html}`;
    await page.route('**', (route) => {
      const path = new URL(route.request().url()).pathname.slice(1);
      if (path === '') return route.fulfill({ contentType: 'text/html', body: markup });
      if (path === 's.css') return route.fulfill({ contentType: 'text/css', body: css });
      if (path !== 'favicon.ico' && path !== 'last') paths.add(path);
      if (path.endsWith('.css')) return route.fulfill({ contentType: 'text/css', body: '' });
      return route.fulfill({ contentType: 'image/png', body: image });
    });
    await page.goto(`http://${host}.example/`);
    // The layout asks for images and fonts before the next frame. The last request arrives after theirs.
    const frame = 'new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))';
    const frames = `${frame}.then(() => ${frame})`;
    await page.evaluate(`document.fonts.ready.then(() => ${frames}).then(() => fetch('last'))`);
    await page.unrouteAll({ behavior: 'wait' });
    return [...paths].sort();
  }

  it.each(Object.entries(cases))('%s', async (name, each) => {
    const theirs = await asked(each, `case-${Object.keys(cases).indexOf(name)}`);
    const ours = surelyFetched(each);
    if (each.differs === undefined) {
      expect(ours).toEqual(theirs);
    } else {
      expect(theirs).toEqual(each.differs === '' ? [] : [each.differs]);
      expect(ours, 'not known to differ any more').not.toEqual(theirs);
    }
  });
});

/** Paths, sorted. */
function surelyFetched({ css, html = usual, dpr = 1 }: Case): string[] {
  const tags = new Set(['html', 'head', 'body', ...(html.match(/(?<=<)\w+/g) ?? [])]);
  const hasNames = html.includes('class="a"');
  const shown: Shown = {
    hasTag: (name) => tags.has(name),
    hasClass: (name) => hasNames && name === 'a',
    hasId: (name) => hasNames && name === 'i',
  };
  const found: CssFound[] = [];
  const scanner = new CssScanner({
    screen: { ...screen, dpr },
    onFound: (item) => found.push(item),
  });
  scanner.write(css);
  scanner.end();
  const sure = found.filter((item) => isSure(item, shown, scanner.fonts));
  const paths = sure.map(({ written }) =>
    new URL(written, 'http://site.example/').pathname.slice(1),
  );
  return [...new Set(paths)].sort();
}
