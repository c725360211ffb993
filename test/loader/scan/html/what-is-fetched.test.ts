// What a browser fetches of a page, and what it leaves alone. Each case in every chunking, with the section of the HTML
// standard, on a screen of 1280 x 800 CSS pixels. F: fetched, S: left alone.

import { describe, expect, test } from 'vitest';
import { createScanner, type ScannerOptions, type Skipped } from '../../../../loader/scan/index.ts';
import { inEveryChunking } from '../every-chunking.ts';

const base = 'http://a.test/dir/';

const scan = (html: string, options: Partial<ScannerOptions> = {}) =>
  inEveryChunking(html, (chunks) => {
    const skipped: Skipped[] = [];
    const onSkipped = (each: Skipped) => skipped.push(each);
    const scanner = createScanner({ url: base, ...options, onSkipped });
    const found = [...chunks.flatMap((chunk) => scanner.write(chunk)), ...scanner.end()];
    return { found, skipped };
  });

const short = (url: string) => url.replace(base, '');

type Case = [what: string, html: string, fetched: string, alone?: string | undefined];

const listOf = (given: string): string[] => given.split(' | ').filter((each) => each !== '');

function checkEach(name: string, cases: readonly Case[], options: Partial<ScannerOptions> = {}) {
  describe(name, () => {
    test.each(cases)('%s: %s', (_, html, fetched, alone = '') => {
      const { found, skipped } = scan(html, options);
      expect(found.map(({ kind, url }) => `${kind} ${short(url)}`)).toEqual(listOf(fetched));
      expect(skipped.map(({ url, why }) => `${short(url)}: ${why}`)).toEqual(listOf(alone));
    });
  });
}

/**
 * Checks cases that are written as `what: html → fetched | fetched ✗ left alone: why`; lines that are indented further
 * continue one.
 */
function check(name: string, text: string, options?: Partial<ScannerOptions>): void {
  const lines = text
    .trim()
    .replace(/\n {4}/g, ' ')
    .split('\n');
  const cases = lines.map((line): Case => {
    const [, what = '', html = '', fetched = '', alone] =
      /^ *(.*?): (.*) →(.*?)(?: ✗ (.*))?$/.exec(line) ?? [];
    return [what, html, fetched.trim(), alone];
  });
  checkEach(name, cases, options);
}

const policy = (text: string) => `<meta http-equiv=Content-Security-Policy content="${text}">`;
const forbidden = (directive: string) => `the page's policy forbids it: ${directive}`;

const hash = 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';

check(
  'script (4.12.1)',
  `
  without a type: <script src=a> → script a
  an empty type: <script type src=a> → script a
  JavaScript: <script type="Application/ECMAScript " src=a> → script a
  by language: <script language=JavaScript1.2 src=a> → script a
  a module: <script type=module src=a> → script a
  async and defer: <script async src=a></script><script defer src=b> → script a | script b
  text: <script type=text/plain src=a> → ✗ a: type text/plain is no script
  a parameter of the type: <script type="text/javascript; a=b" src=a>
    → ✗ a: type text/javascript is no script
  an import map: <script type=importmap src=a> → ✗ a: type importmap is no script
  speculation rules: <script type=speculationrules src=a> → ✗ a: type speculationrules is no script
  an unknown language: <script language=vbs src=a> → ✗ a: type unknown is no script
  nomodule: <script nomodule src=a> → ✗ a: nomodule
  nomodule of a module: <script nomodule type=module src=a> → script a
  no src: <script>fetch("/x")</script> →
  an empty src: <script src=""></script><script src=" "></script> →
`,
);

check(
  'link (4.6.7)',
  `
  a style sheet: <link rel=StyleSheet href=a> → stylesheet a
  other relations beside it: <link rel="preload icon stylesheet" as=x href=a> → stylesheet a
  media that match: <link rel=stylesheet media="(min-width: 600px)" href=a> → stylesheet a
  print is fetched, late: <link rel=stylesheet media=print href=a> → stylesheet a
  alternate: <link rel="alternate stylesheet" title=dark href=a> → stylesheet a
  alternate without a title: <link rel="alternate stylesheet" href=a> → stylesheet a
  disabled: <link rel=stylesheet disabled href=a> → ✗ a: disabled
  another type: <link rel=stylesheet type=text/less href=a> → ✗ a: type text/less is no style sheet
  CSS with a parameter: <link rel=stylesheet type="text/css; charset=x" href=a> → stylesheet a
  no rel: <link href=a> →
  an empty href: <link rel=stylesheet href=""> →
  preload: <link rel=preload as=font crossorigin href=a> → font a
  each kind:
    <link rel=preload as=style href=a><link rel=preload as=script href=b><link rel=preload as=image href=c><link rel=preload as=fetch href=d>
    → stylesheet a | script b | image c | fetch d
  preload without as: <link rel=preload href=a> → ✗ a: as nothing is not preloaded
  preload for other media: <link rel=preload as=image media="(max-width: 600px)" href=a>
    → ✗ a: media (max-width: 600px) does not match
  preload of another type: <link rel=preload as=image type=image/jp2 href=a>
    → ✗ a: type image/jp2 is not supported
  imagesrcset:
    <link rel=preload as=image imagesrcset="a 640w, b 1280w, c 2560w" imagesizes=50vw href=d>
    → image a ✗ b: another candidate is taken | c: another candidate is taken
  imagesrcset without href: <link rel=preload as=image imagesrcset="a, b 2x">
    → image a ✗ b: another candidate is taken
  modulepreload: <link rel=modulepreload href=a> → script a
  modulepreload of something else: <link rel=modulepreload as=image href=a>
    → ✗ a: as image is no module
  icons: <link rel="shortcut icon" href=a><link rel=manifest href=b>
    → ✗ a: icons are not asked for | b: icons are not asked for
  white space and other case in rel: <link rel="icon\fStyleSheet\rnext" href=a> → stylesheet a
  other white space in rel: <link rel="stylesheet\u00a0" href=a> →
  preconnect: <link rel=preconnect href=//b.test> → connection http://b.test/
  preconnect without a URL: <link rel=preconnect> →
  others: <link rel=next href=a><link rel=canonical href=b><link rel=dns-prefetch href=//c> →
`,
);

// Chromium 156 on a desktop.
check(
  'icons, if asked for (4.6.7.8)',
  `
  one: <link rel=icon href=a> → icon a
  none, so the usual one: <p> → icon http://a.test/favicon.ico
  that of any size:
    <link rel=icon href=a sizes=32x32><link rel=icon type=image/svg+xml href=b><link rel=icon href=c>
    → icon b ✗ a: another icon is taken | c: another icon is taken
  the smallest that is large enough:
    <link rel=icon href=a sizes=16x16><link rel=icon href=b sizes=192x192><link rel=icon href=c sizes="16x16 48x48">
    → icon c ✗ b: another icon is taken | a: another icon is taken
  for a screen like this: <link rel=icon href=a media=print><link rel=icon href=b>
    → icon b ✗ a: media print does not match
  not those of home screens: <link rel=apple-touch-icon href=a><link rel=icon href=b>
    → icon b ✗ a: for home screens alone
  in a template: <template><link rel=icon href=a></template><link rel=icon href=b>
    → icon b ✗ a: inside a template
`,
  { also: ['icons'] },
);

check(
  'img (4.8.3, 4.8.4)',
  `
  src: <img src=a> → image a
  image is img (13.2.6.4.7): <image src=a> → image a
  srcset: <img srcset="a 1x, b 2x, c 1x">
    → image a ✗ b: another candidate is taken | c: another candidate is taken
  srcset of widths: <img srcset="a 100w, b 2000w, c 3000w" src=d>
    → image b ✗ d: srcset is taken | a: another candidate is taken | c: another candidate is taken
  srcset beside a source:
    <picture><source srcset="a, b 2x"><source srcset="c, d 2x"><img srcset="e, a 2x">
    → image a
    ✗ b: another candidate is taken | c: an earlier source is taken | d: an earlier source is taken | e: a source of its picture is taken
  src beside a srcset with 1x: <img src=a srcset="b 1x, c 2x">
    → image b ✗ a: srcset is taken | c: another candidate is taken
  src as 1x: <img src=a srcset="b 2x"> → image a ✗ b: another candidate is taken
  widths: <img src=a srcset="b 320w, c 2000w" sizes=100px>
    → image b ✗ a: srcset is taken | c: another candidate is taken
  sizes=auto of a lazy image, whose layout is not known, so the best guess is what follows (4.8.4.3.11):
    <img loading=lazy srcset="a 300w, b 1280w" sizes="auto, 300px">
    → image a ✗ b: another candidate is taken
  sizes=auto of another image, of which Chromium ignores what follows:
    <img srcset="a 300w, b 1280w" sizes="auto, 300px"> → image b ✗ a: another candidate is taken
  a data URL in srcset: <img srcset="data:image/gif;base64,R0= 1x, b 2x">
    → ✗ b: another candidate is taken | data:image/gif;base64,R0=: not an http URL
  only data-src: <img data-src=a class=lazyload> →
  a data URL: <img src="data:image/gif;base64,R0lGODlh">
    → ✗ data:image/gif;base64,R0lGODlh: not an http URL
  input: <input type=Image src=a><input src=b><input type=text src=c> → image a
  background (15.3.3): <body background=a><table background=b><td background=c><div background=d>
    → image a | image b | image c
`,
);

check(
  'picture (4.8.4.3.7)',
  `
  the first that fits: <picture><source srcset=a><source srcset=b><img src=c></picture>
    → image a ✗ b: an earlier source is taken | c: a source of its picture is taken
  by media:
    <picture><source media="(max-width: 600px)" srcset=a><source media=screen srcset=b><img src=c></picture>
    → image b ✗ a: media (max-width: 600px) does not match | c: a source of its picture is taken
  by type: <picture><source type=image/jp2 srcset=a><img src=c></picture>
    → image c ✗ a: type image/jp2 is not supported
  src of a source is nothing: <picture><source src=a><img src=c></picture> → image c
  without img: <picture><source srcset=a></picture><img src=b> → image b
  the base of the img counts: <picture><source srcset=a><base href=/other/><img></picture>
    → image http://a.test/other/a
  source outside: <source srcset=a><img src=b> → image b
  a source in a template (4.12.3): <picture><template><source srcset=t></template><img src=a></picture> → image a
  a picture in a template: <template><picture><source srcset=t></template><img src=a> → image a
  the end of a picture in a template:
    <picture><source srcset=t><template></picture></template><img src=a></picture>
    → image t ✗ a: a source of its picture is taken
  a video in a template: <template><video></video></template><picture><source srcset=t><img></picture> → image t
  an open video in a template: <template><video></template><picture><source srcset=t><img></picture> → image t
`,
);

check(
  'loading=lazy of images and frames (4.8.4, 4.8.5)',
  `
  the first images are in the first view: ${'<img loading=lazy src=i>'.repeat(8)}<img loading=lazy src=x>
    →${' | image i'.repeat(8).slice(2)} ✗ x: loading=lazy, below the first view
  behind the images that fill the first view:
    <iframe loading=lazy src=a></iframe>${'<img src=i>'.repeat(8)}<iframe loading=lazy src=b></iframe><iframe src=c></iframe>
    → document a${' | image i'.repeat(8)} | document c ✗ b: loading=lazy, below the first view
`,
  { also: ['frames'] },
);

check(
  'style in SVG (SVG 2, 6.2)',
  `
  a rule: <svg><style>.a{background:url(x)}</style></svg><p class=a> → image x
  of two pieces: <svg><style>.a{<!-- c -->background:url(x)}</style></svg><p class=a> → image x
  a CDATA section:
    <svg><style><![CDATA[a[b]]]>,p{background:url(x)}<![CDATA[ i>]]>u{background:url(y)}</style></svg><p>
    → image x
  character references, which are decoded there:
    <svg><style>div&gt;p{background:url(&#39;x?a=1&amp;b&#x27;)}</style></svg><div><p>
    → image x?a=1&b
  but not in a CDATA section:
    <svg><style><![CDATA[div&gt;p{background:url(x)}]]></style></svg><div><p>
    →
  nor across markup:
    <svg><style>p[title="&a<!---->mp;"],div&gt<![CDATA[p]]>{background:url(x)}</style></svg><div><p>
    → image x
  nor in HTML: <style>div&gt;p{background:url(x)}</style><div><p> →
  white space: <svg><style>div p{background:url(x)}</style></svg><div><p> → image x
  self-closing: <svg><style/>.a{background:url(x)}</svg><p class=a> →
`,
);

check(
  'media and frames, not asked for (4.8.5, 4.8.8)',
  `
  a poster: <video poster=a src=b> → image a ✗ b: media are not asked for
  frames: <iframe src=a></iframe><object data=b></object><embed src=c>
    → ✗ a: frames are not asked for | b: frames are not asked for | c: frames are not asked for
`,
);

check(
  'media, if asked for',
  `
  src: <video src=a></video><audio src=b> → media a | media b
  preload=none: <video preload=none src=a> → ✗ a: preload=none
  autoplay: <video preload=none autoplay src=a> → media a
  the default track: <video><track src=a><track default src=b></video> → track b
  preload=none of a source: <audio preload=none><source src=a></audio> → ✗ a: preload=none
  the first source whose type and media fit (4.8.11.5):
    <video><source src=a type=video/nonsense><source src=b media=print><source src=c type=video/webm><source src=d></video>
    → media c
    ✗ a: type video/nonsense is not supported | b: media print does not match | d: an earlier source is taken
`,
  { also: ['media'] },
);

check(
  'frames, if asked for (4.8.5)',
  `
  src and data: <iframe src=a></iframe><object data=b></object> → document a | document b
  object-src of a policy (CSP 3, 6.1.9):
    ${policy("object-src 'none'")}<object data=a></object><embed src=b><iframe src=c></iframe>
    → document c ✗ a: ${forbidden('object-src')} | b: ${forbidden('object-src')}
  srcdoc wins, a document inside, entities decoded, with its own style:
    <iframe srcdoc="<style>.a{background:url(&quot;b&quot;)}</style><img src=c><p class=a>" src=d></iframe><p class=b>
    → image c | image b ✗ d: srcdoc is taken
  a policy of its own:
    <iframe srcdoc="<meta http-equiv=content-security-policy content=&quot;img-src 'none'&quot;><img src=b>"></iframe><img src=a>
    → image a ✗ b: the page's policy forbids it: img-src
  under the policy of the page:
    <meta http-equiv=content-security-policy content="img-src 'none'"><iframe srcdoc="<img src=c>"></iframe>
    → ✗ c: the page's policy forbids it: img-src
`,
  { also: ['frames'] },
);

check(
  'templates (4.12.3)',
  `
  a template: <template><img src=a></template><img src=b> → image b ✗ a: inside a template
  nested ones: <template><template></template><img src=a></template> → ✗ a: inside a template
  a declarative shadow root: <template shadowrootmode=Open><img src=a></template> → image a
  a template in it:
    <template shadowrootmode=open><template><img src=a></template><img src=b></template>
    → image b ✗ a: inside a template
  another mode: <template shadowrootmode=half><img src=a></template> → ✗ a: inside a template
  base and meta in it:
    <template><base href=/x/><meta name=referrer content=origin></template><img src=a>
    → image a
  a stray end: </template><img src=a> → image a
`,
);

check(
  'foreign content (13.2.6.5)',
  `
  image of SVG: <svg><image href=a /><image xlink:href=b /></svg> → image a | image b
  href wins: <svg><image xlink:href=b href=a /></svg> → image a
  src of it is nothing: <svg><image src=a></svg> →
  feImage: <svg><filter><feImage href=a /></filter></svg> → image a
  use of another file: <svg><use href=a.svg#x /><use href=#y /></svg> → image a.svg
  script of SVG: <svg><script href=a></script></svg> → script a
  its src is nothing: <svg><script src=a></script></svg><img src=b> → image b
  script of MathML: <math><script src=a></script></math> →
  img ends SVG: <svg><img src=a><image href=b></svg> → image a
  img ends MathML: <math><mtext></mtext><img src=a> → image a
  font with a face ends it, one without does not:
    <math><font face=x><image src=a></math><svg><font><image src=b href=c>
    → image a | image c
  HTML in foreignObject: <svg><foreignObject><image src=a></foreignObject><image src=b href=c></svg>
    → image a | image c
  HTML in a title of SVG: <svg><title><img src=a></title><image href=b></svg> → image a | image b
  HTML in mi: <math><mi><image src=a></mi><image src=b></math> → image a
  HTML in annotation-xml:
    <math><annotation-xml encoding=Text/HTML><image src=a></annotation-xml></math>
    → image a
  SVG in annotation-xml: <math><annotation-xml><svg><image href=a></svg></annotation-xml></math>
    → image a
  style is markup there: <svg><style><image href=a></style></svg> → image a
  CDATA is text there: <svg><![CDATA[<image href=a>]]></svg><img src=b> → image b
  and a comment in HTML: <![CDATA[<img src=a>]]><img src=b> → image b
  closed at once: <svg/><image src=a> → image a
  </p> ends it: <svg></p><image src=a> → image a
  an end tag of an element around ends it: <div><svg><path></div><script src=a></script> → script a
  not one of an element inside: <svg><g><path></g><script src=a href=b></script> → script b
  a stray one of SVG does not: <div><svg></path><script src=a href=b></script> → script b
`,
);

check(
  'Content Security Policy (CSP 3)',
  `
  no connection is a request: ${policy("default-src 'self'")}<link rel=preconnect href=//b.test>
    → connection http://b.test/
  of a body it means nothing (HTML 4.2.5.3): <body>${policy("img-src 'none'")}<img src=a> → image a
  a hash that the integrity has (6.7.1.1):
    ${policy(`script-src '${hash}'`)}<script src=a integrity=${hash}></script><script src=b integrity="${hash} sha384-x"></script><script src=c></script>
    → script a ✗ b: ${forbidden('script-src')} | c: ${forbidden('script-src')}
  imports have the nonce of their module (HTML 8.1.4.1, "descendant script fetch options"):
    ${policy("script-src 'nonce-n'")}<script type=module nonce=n>import './a'</script><script type=module>import './b'</script>
    → script a
  none: ${policy("img-src 'none'")}<img src=a><script src=b> → script b ✗ a: ${forbidden('img-src')}
  only after it: <link rel=preload as=image href=a>${policy("img-src 'none'")}<img src=b>
    → image a ✗ b: ${forbidden('img-src')}
  self: ${policy("default-src 'self'")}<img src=a><img src=//b.test/b>
    → image a ✗ http://b.test/b: ${forbidden('default-src')}
  hosts:
    ${policy('img-src b.test *.c.test')}<img src=//b.test/a><img src=//x.c.test/a><img src=//c.test/a>
    → image http://b.test/a | image http://x.c.test/a ✗ http://c.test/a: ${forbidden('img-src')}
  a better scheme: ${policy('img-src http://b.test')}<img src=https://b.test/a>
    → image https://b.test/a
  schemes: ${policy('img-src http:')}<img src=https://b.test/a><img src=//c.test/a>
    → image https://b.test/a | image http://c.test/a
  everything: ${policy('img-src *')}<img src=//c.test/a> → image http://c.test/a
  ports:
    ${policy('img-src b.test:8080 c.test:*')}<img src=//b.test:8080/a><img src=//c.test:99/a><img src=//b.test/a>
    → image http://b.test:8080/a | image http://c.test:99/a
    ✗ http://b.test/a: ${forbidden('img-src')}
  paths:
    ${policy('img-src b.test/x/ b.test/y')}<img src=//b.test/x/a><img src=//b.test/y><img src=//b.test/y/z>
    → image http://b.test/x/a | image http://b.test/y ✗ http://b.test/y/z: ${forbidden('img-src')}
  nonces: ${policy("script-src 'nonce-n'")}<script nonce=n src=a></script><script src=b>
    → script a ✗ b: ${forbidden('script-src')}
  strict-dynamic: ${policy("script-src 'strict-dynamic' *")}<script src=b>
    → ✗ b: ${forbidden('script-src')}
  two policies: ${policy('img-src *, img-src b.test')}<img src=a> → ✗ a: ${forbidden('img-src')}
  the first of two directives: ${policy("img-src 'none'; img-src *")}<img src=a>
    → ✗ a: ${forbidden('img-src')}
  none that is known: ${policy('sandbox; nonsense a b;;')}<img src=a> → image a
  not from a shadow root or a template:
    <template shadowrootmode=open>${policy("img-src 'none'")}</template><template>${policy("img-src 'none'")}</template><img src=a>
    → image a
`,
);

checkEach('Content Security Policy in meta (HTML 4.2.5.3)', [
  ...[
    ...['<div></div>', '<x-y>', 'x', '<p>', '</body>', '</br>'],
    '<head></head><noscript>x</noscript>',
  ].map(
    (start): Case => [
      `nor behind ${start}, which begins a body (13.2.6.4.4)`,
      `<title>t</title> ${start}${policy("img-src 'none'")}<img src=a>`,
      'image a',
    ],
  ),
  ...[
    ...['<head></head>', '<basefont><bgsound>', '<noframes>x</noframes>', '</p>', ' <!-- x --> '],
    ...['<template><div>x</div></template>', '<title>t</title>', '<noscript>x</noscript>'],
  ].map(
    (start): Case => [
      `behind ${start}, which begins none`,
      `${start}${policy("img-src 'none'")}<img src=a>`,
      '',
      `a: ${forbidden('img-src')}`,
    ],
  ),
]);

describe('how it is fetched', () => {
  test.each([
    ['<link rel=stylesheet href=a>', { priority: 'highest', isBlocking: true, isLate: false }],
    [
      '<link rel=stylesheet media=print href=a>',
      { priority: 'lowest', isBlocking: false, isLate: true },
    ],
    ['<script src=a>', { priority: 'high', isBlocking: true }],
    ['<script async src=a>', { priority: 'low', isBlocking: false }],
    ['<script defer fetchpriority=high src=a>', { priority: 'high', isBlocking: false }],
    ['<img src=a>', { priority: 'medium', isBlocking: false }],
    ['<img fetchpriority=high src=a>', { priority: 'high' }],
    ['<link rel=stylesheet fetchpriority=low href=a>', { priority: 'high', isBlocking: true }],
    ['<link rel=stylesheet fetchpriority=high href=a>', { priority: 'highest' }],
    ['<link rel=stylesheet media=print fetchpriority=high href=a>', { priority: 'high' }],
    ['<link rel=preload as=style fetchpriority=low href=a>', { priority: 'high' }],
    ['<img fetchpriority=low src=a>', { priority: 'low' }],
    ['<link rel=preload as=font href=a>', { priority: 'high' }],
    ['<script type=module src=a>', { isModule: true, crossOrigin: 'anonymous' }],
    ['<script integrity=sha256-x src=a>', { integrity: 'sha256-x' }],
    ['<p><img src=a>', { from: 'img src', offset: 3 }],
  ])('%s', (html, how) => {
    expect(scan(html).found).toMatchObject([how]);
  });

  test('the first five images come before the others', () => {
    const { found } = scan('<img src=a>'.repeat(7));
    expect(found.map(({ priority }) => priority)).toEqual([
      ...Array(5).fill('medium'),
      ...Array(2).fill('low'),
    ]);
  });
});

const styled = '<style nonce=q>p{background:url(a)}</style><p style="mask:url(b)">';
const modular =
  '<script type=importmap nonce=q>{"imports":{"m":"./n"}}</script><script type=module nonce=q>import "m"</script>';

check(
  'inline content that a policy blocks (CSP 3, 6.7.3), and base (6.3.1)',
  `
  style: ${policy("style-src 'self'")}${styled} →
  default: ${policy("default-src 'self'")}${styled}${modular} →
  unsafe-inline: ${policy("style-src 'unsafe-inline'")}${styled} → image a | image b
  a nonce is of elements: ${policy("style-src 'nonce-q' 'unsafe-inline'")}${styled} → image a
  attributes: ${policy("style-src 'unsafe-inline'; style-src-attr 'none'")}${styled} → image a
  a hash is not computed: ${policy("style-src 'sha256-xyz='")}${styled} → image a | image b
  scripts: ${policy("script-src 'self'")}${modular} →
  scripts with a nonce: ${policy("script-src 'nonce-q'")}${modular} → script n
  scripts, unsafe-inline beside a nonce: ${policy("script-src 'unsafe-inline' 'nonce-x'")}${modular}
    →
  base: ${policy("base-uri 'none'")}<base href=x/><img src=a> → image a
  base of the same origin: ${policy("base-uri 'self'")}<base href=x/><img src=a> → image x/a
`,
);

check(
  'meta refresh (4.2.5.3)',
  `
  told, not followed: <meta http-equiv=Refresh content="5; url=next">
    → ✗ next: a refresh is not followed
  in quotes, without url: <meta http-equiv=refresh content="0,'a b'">
    → ✗ a%20b: a refresh is not followed
  of the page itself: <meta http-equiv=refresh content=30> →
  no time: <meta http-equiv=refresh content="url=next"> →
`,
);
