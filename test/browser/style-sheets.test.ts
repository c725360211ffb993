// What Chromium fetches for style sheets, against the scanner: pages with one sheet each.

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createScanner } from '../../loader/scan/index.ts';
import { hasChromium, launchChromium } from '../support/chromium.ts';
import { sharedBrowser } from './set-up.ts';

const image = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const screen = { width: 1280, height: 800 };

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

/** What each further sheet has, and the elements that use it. */
const further = (path: string) => path.replace(/(.*)\.css/, '.$1{mask:url($1)}');
const users = [...'abcde'].map((name) => `<b class=${name}>text</b>`).join('');

/** A style sheet alone, or with more. */
const cases: Record<string, string | Case> = {
  'imports whatever their media': '@import "a.css" print;@import url(b.css) (width<9px);',
  'imports with layer and supports':
    '@import "a.css" layer(x) supports(display:grid) screen;@import "b.css" supports(not (color:red));',
  'imports after @charset, @layer and unknown at-rules':
    '@charset "utf-8";@layer a;@foo;@-ms-viewport{}@import "a.css";@import"b.css";',
  'no imports after rules': 'p{}@import "a.css";',
  'no imports after a block of @layer': '@layer x{}@import "a.css";',
  'imports in html comments, escaped, without an end':
    '<!-- @\\69mport "a.css"; --> @import url("b.css")',
  'no src() and no block in imports': '@import src("a.css");@import "b.css" {}@import "c.css";',
  'the last declaration': 'p{background:url(a);background-image:url(b)}',
  'a shorthand resets': 'p{background-image:url(a);background:red}',
  'no other flag than important': 'p{display:none !ie;background:url(a)}',
  'an empty custom property is set': 'p{--a:;background:url(a);mask:var(--a,url(b))}',
  'a pseudo-element in :is()': 'p:is(p,::before),i{background:url(a)}',
  important: 'p{background:url(a)!important}p{background:url(b)}',
  'important, in one rule and in other case':
    'p{background:url(a)!IMPORTANT;background:url(b);mask:url(c)!important;mask:url(d)}',
  'one selector of a list': 'i,p{background:url(a)}p{background:url(b)}',
  'types in upper case': 'BODY > P{mask:url(a)}',
  'the last rule': 'p{background:url(a)}p{background:url(b)}',
  'all layers': 'p{background:url(a),url(b)}',
  'functions of others': 'p{background:url(a);background:-moz-linear-gradient(red,url(b))}',
  'no src(), image() and cross-fade()':
    'p{background:src("a")}p{mask:image(url(b))}p{border-image:cross-fade(url(c),url(d),50%)}',
  '-webkit-cross-fade()': 'p{background:-webkit-cross-fade(url(a),url(b),50%)}',
  'image-set() at 1': 'p{background:image-set(url(a) 1x,"b" 2x)}',
  'image-set() at 2': { css: 'p{background:image-set(url(a) 1x,"b" 2x)}', dpr: 2 },
  'image-set() of three': 'p{background:-webkit-image-set("a" 3x,"b" 144dpi,"c" .5x)}',
  'image-set() of small ones': 'p{background:image-set("a" .5x,"b" .8x)}',
  'image-set() with types': 'p{background:image-set("a" type("image/foo"),"b" type("image/png"))}',
  'image-set() of computed densities': {
    css: 'p{background:image-set("a" 1x,"b" calc(1x * 2))}',
    dpr: 2,
  },
  'image-set() that is invalid': 'p{background:image-set("a" -1x,"b" 2x)}',
  'display: none': 'p{display:none;background:url(a)}',
  'visibility: hidden': 'p{visibility:hidden;background:url(a)}',
  'below the first view': 'p{margin-top:9000px;background:url(a)}',
  hover: 'p:hover{background:url(a)}',
  'boxes of the root': ':root{background:url(a)}body{background:url(b)}head{background:url(c)}',
  '::before without content': 'p::before{background:url(a)}',
  '::before with content': 'p::before{content:"";background:url(a)}p:after{content:url(b)}',
  '::before with content elsewhere': 'p::before{content:""}p::before{background:url(a)}',
  '::first-line and ::first-letter':
    'p::first-line{background:url(a)}p::first-letter{background:url(b)}',
  '::marker': {
    css: 'li::marker{content:url(a);background:url(b)}',
    html: '<ul><li>text</ul>',
    differs: 'a',
  },
  '::selection': 'p::selection{background:url(a)}',
  '@media':
    '@media print{p{background:url(a)}}@media screen{p{mask:url(b)}}@media (max-width:9px){p{cursor:url(c),auto}}',
  '@media in @media': '@media (width>9px){@media print{p{mask:url(a)}}p{mask:url(b)}}',
  '@supports':
    '@supports (display:grid){p{background:url(a)}}@supports not (display:grid){p{background:url(b)}}@supports selector(a>b) and (not (-ms-a:b)){p{mask:url(c)}}',
  '@layer, @page, @counter-style and unknown ones':
    '@layer x{p{background:url(a)}}@page{background:url(b)}@counter-style c{symbols:url(c)}@foo{p{mask:url(d)}}',
  'nested rules': {
    css: 'div{p{background:url(a)}> p{mask:url(b)}& i{cursor:url(c),auto}@media screen{background:url(d)}}',
    html: inDiv,
  },
  'custom properties':
    ':root{--a:url(a);--b:var(--a);--c:url(c)}p{background:var(--b)}i{background:var(--c)}',
  'fallbacks of custom properties':
    ':root{--a:red}p{background:var(--a,url(a));mask:var(--b,url(b))}',
  'custom properties of style attributes, inherited, and of elements beside': {
    css: ':root{--e:url(e)}p{background:var(--b)}i{mask:var(--b)}b{mask:var(--b)}',
    html:
      '<p style="--b:url(a)">text</p><div style="--b:url(c)"><i>text</i></div><b>text</b>' +
      '<u style="--b:url(d);background:var(--b)">text</u><s style="background:var(--e)">text</s>',
  },
  'the nearest custom property': {
    css: ':root{--b:url(a)}div{--b:url(b)}p{background:var(--b)}',
    html: inDiv,
  },
  'custom properties of pseudo-elements':
    'p{--b:url(a)}p::before{--b:url(b);content:"";background:var(--b)}',
  'a custom property that is set to none': 'p{--b:url(a);background:var(--b)}p{--b:none}',
  'a use that is overridden': 'p{--b:url(a);background:var(--b)}p{background:none}',
  'style in SVG': {
    css: 'i{color:red}',
    html: '<p class=a>text</p><svg><style>.a{background:url(a)}</style></svg>',
  },
  'elements before a style element': {
    css: 'i{color:red}',
    html: '<div><p>text</p></div><style>div > p{background:url(a)}body > p{mask:url(b)}</style>',
  },
  'other properties of images':
    'p{list-style-image:url(a);cursor:url(b),auto;border-image:url(c) 3;shape-outside:url(d);-webkit-box-reflect:below 0 url(e)}',
  'properties that nobody knows': 'p{behavior:url(a);-moz-binding:url(b);foo:url(c)}',
  'documents of effects':
    'p{filter:url(a.svg#x);clip-path:url(b.svg#x);mask-image:url(c.svg#x);backdrop-filter:url(d.svg#x)}',
  'content of an element': 'p{content:url(a)}',
  'data:, fragments and nothing':
    'p{background:url(data:image/png;base64,aaaa),url(#x),url(""),url(a)}',
  'a bad URL and an open one': 'p{background:url(a b)}p{mask:url(c',
  // The first is on no machine: where it is, no other is fetched.
  'fonts that are used, and not': `${face('x')}${face('y')}p{font-family:"no such font",X}`,
  'fonts of absent elements': `${face('x')}i{font-family:x}`,
  'the font shorthand': `${face('x')}p{font:italic 12px/1.5 "x",serif}`,
  'a family of two words, in other case':
    '@font-face{font-family:"A B";src:url(a)format(woff2)}p{font-family:a   b}',
  'fonts by custom properties': `${face('x')}:root{--f:x}p{font-family:var(--f)}`,
  'fonts of hover': `${face('x')}p:hover{font-family:x}`,
  'fonts of ::before': `${face('x')}${face('y')}p::before{font-family:x;content:"a"}p::after{font-family:y}`,
  'no bold without bold text': `${faces('', 'font-weight:bold')}p{font-family:f}`,
  'bold faces': {
    css: `${faces('', 'font-weight:600', 'font-style:italic')}p{font-family:f}`,
    html: '<p>text <b>bold</b>',
  },
  'italic faces': {
    css: `${faces('', 'font-weight:600', 'font-style:oblique')}p{font-family:f}`,
    html: '<p>text <em>italic</em>',
  },
  'the nearest weight': `${faces('font-weight:300', 'font-weight:500')}p{font-family:f}`,
  'a range of weights': `${faces('font-weight:100 900')}p{font-family:f}`,
  'the weight of the shorthand': `${faces('', 'font-weight:700')}p{font:bold 12px f}`,
  'unicode-range': `${faces('unicode-range:U+4??', 'unicode-range:U+0-ff,U+131')}p{font-family:f}`,
  'formats of fonts':
    '@font-face{font-family:f;src:url(a.eot);src:local("no such"),url(a.eot?#x) format("embedded-opentype"),url(a.svg#f) format("svg"),url(a.woff2) format("woff2")}p{font-family:f}',
  'a font of Internet Explorer': '@font-face{font-family:f;src:url(a.eot)}p{font-family:f}',
  // Places in the page.
  'in display: none': { css: 'div{display:none}p{background:url(a)}', html: inDiv },
  'in display: none of an attribute': {
    css: 'p{background:url(a)}i{background:url(b)}',
    html: '<div style="display:none"><p>text</p></div><i style="Display: NONE">x</i>',
  },
  'display: none that is overridden': {
    css: 'div{display:none}p{background:url(a)}div.x{display:block}',
    html: '<div class=x><p>text</p></div>',
  },
  'an ::before in display: none': 'p::before{content:"";background:url(a);display:none}',
  'a combination that is absent': { css: 'div p{background:url(a)}', html: '<div></div><p>x' },
  combinations: {
    css: 'div p{background:url(a)}div>p{background:url(b)}section>p{mask:url(c)}div + p{cursor:url(d),auto}',
    html: '<div><section><p>x</p></section></div><p>y</p>',
  },
  'a child in an ancestor that comes later': {
    css: '.a > .b .c{background:url(a)}.b > .c{mask:url(b)}',
    html: '<div class=a><div class=b><div class=b><i><i class=c>x</i></i></div></div></div>',
  },
  'end tags that are left out': {
    css: 'li li{background:url(a)}p p,p div{background:url(b)}dd dt{background:url(c)}option option{background:url(d)}td td,tr tr{background:url(e)}table>tr{mask:url(f)}tbody>tr>td{mask:url(g)}',
    html: '<ul><li>a<li>b</ul><p>a<p>b<div>c</div><dl><dt>a<dd>b<dt>c</dl><select><option>a<option>b</select><table><tr><td>a<td>b<tr><td>c</table>',
  },
  'end tags that are left out of headings, ruby and links': {
    css: 'h1 h2{mask:url(a)}rt rt{mask:url(b)}a a{mask:url(c)}button button{mask:url(d)}thead tbody{mask:url(e)}',
    html: '<h1>a<h2>b</h2><ruby>a<rt>b<rt>c</ruby><a href=x>a<a href=y>b</a><button>a<button>b</button><table><thead><tr><th>a<tbody><tr><td>b</table>',
  },
  'void elements': {
    css: 'br p,img p,input p,hr p{mask:url(a)}body>p{mask:url(b)}',
    html: '<br><img><input><hr><p>x',
  },
  'html, head and body without tags':
    'html>body>p{mask:url(a)}head p{mask:url(b)}html>p{mask:url(c)}:root>body{mask:url(d)}',
  'a body with a class': {
    css: 'body{background:url(a)}body.x{background:none}',
    html: '<body class=x><p>text',
  },
  'the first child': {
    css: 'p:first-child{background:url(a)}i:first-child{mask:url(b)}i{cursor:url(c),auto}',
    html: '<div>text<p>x</p><i>y</i></div>',
  },
  'in a template': { css: 'p{background:url(a)}', html: '<template><p>x</p></div></template><i>x' },
  'after a template': {
    css: 'div > i{background:url(a)}',
    html: '<div><template></div></template><i>x</i></div>',
  },
  // The cascade.
  'a more specific rule': 'p.a{background:url(a)}p{background:url(b)}',
  'an id before classes': '#i{background:url(a)}p.a.a{background:url(b)}',
  'nothing, more specific': 'p.a{background:none}p{background:url(b)}',
  'important before what is more specific': 'p{background:url(a)!important}#i{background:url(b)}',
  'no layer before layers':
    '@layer x{p.a{background:url(a)}}p{background:url(b)}@layer y{p{mask:url(c)}}@layer x{p.a{mask:url(d)}}',
  'layers in the order of a statement':
    '@layer x, y;@layer y{p{background:url(a)}}@layer x{p{background:url(b)}}',
  'layers in the order of blocks without images':
    '@layer x{i{color:red}}@layer y{p{background:url(a)}}@layer x{p{background:url(b)}}',
  'layers inside layers':
    '@layer x{@layer z{p{background:url(a)}}p{background:url(b)}}@layer y.z{p{mask:url(c)}}@layer y{p{mask:url(d)}}',
  'a statement inside a layer':
    '@layer x{@layer b, a;@layer a{p{background:url(a)}}@layer b{p{background:url(b)}}}',
  'a statement in @media that does not match':
    '@media print{@layer x, y;}@layer y{p{background:url(a)}}@layer x{p{background:url(b)}}',
  'layers of important declarations':
    '@layer x{p{background:url(a)!important}}p{background:url(b)!important}',
  'a style attribute before rules': {
    css: '#i{background:url(a)}',
    html: '<p id=i style="background:url(c)">x',
  },
  'one element of two': {
    css: 'p{background:url(a)}p.x{background:url(b)}',
    html: '<p class=x>x</p><p>y</p>',
  },
  'nested rules, more specific': {
    css: '#d{p{background:url(a)}}div p{background:url(b)}p{.x &{mask:url(c)}}',
    html: '<div id=d class=x><p>x</p></div>',
  },
  // Fonts by the elements that have text.
  'a family that is overridden': `${face('x')}body{font-family:x}p{font-family:arial}`,
  'a family that is inherited': {
    css: `${face('x')}div{font-family:x}i{font-style:italic}`,
    html: '<div><p><i>x</i></p></div>',
  },
  'bold text alone': {
    css: `${faces('', 'font-weight:700')}body{font-family:f}`,
    html: '<h1>text</h1>',
  },
  'bold text of another family': {
    css: `${faces('', 'font-weight:700', 'font-style:italic')}div{font-family:f}.x{font-weight:700}em{font-style:italic}`,
    html: '<div>text</div><p class=x>bold</p><em>italic</em>',
  },
  'text that is no more bold': {
    css: `${faces('', 'font-weight:700')}body{font-family:f}h1{font-weight:inherit}th{font-weight:400}`,
    html: '<h1>text</h1>',
  },
  'code and form controls have fonts of their own': {
    css: `${face('x')}body{font-family:x}`,
    html: '<pre><code>x</code></pre><div style="display:flex"><button>x</button></div>',
  },
  'code that inherits': {
    css: `${face('x')}body{font-family:x}code{font:inherit}`,
    html: '<code>x</code>',
  },
  'no text': { css: `${face('x')}p{font-family:x}`, html: '<p></p>' },
  'white space': { css: `${face('x')}p{font-family:x}`, html: '<p>\n </p>' },
  'a line without text': {
    css: `${face('x')}p{font-family:x}`,
    html: '<p><img alt=""> <br></p>',
    differs: 'x.woff2',
  },
  'form controls without text': {
    css: `${face('x')}${face('y')}${face('z')}input{font-family:x}select{font-family:y}button{font-family:z}`,
    html: '<input><select></select><button></button>',
  },
  'text in display: none': `${face('x')}p{font-family:x;display:none}`,
  'icons without text, and without content': {
    css: `${face('x')}.i{font-family:x}.i::before{content:"\\f101"}${face('y')}.j{font-family:y}.j::before{content:""}${face('z')}.k{font-family:z}`,
    html: '<i class=i></i><i class=j></i><div class=k></div>',
  },
  'fonts of style attributes': {
    css: `${face('x')}${face('y')}p{font-family:x}`,
    html: '<p style="font-family:y">text</p>',
  },
  'custom properties by place': {
    css: `${face('x')}${face('y')}:root{--f:x}div{--f:y}p{font-family:var(--f)}`,
    html: inDiv,
  },
  'custom properties that depend on others': `${face('x')}:root{--g:"x";--f:var(--g),serif}p{font-family:var(--f)}`,
  // Functional pseudo-classes (Selectors 4).
  ':is() and :where()': {
    css: ':root :where(.a){background:url(a)}:is(h1,p.a) i{mask:url(b)}:where(p#i){cursor:url(c),auto}p{cursor:url(d),auto}',
    html: '<p class=a id=i>x<i>y</i></p>',
  },
  ':is() is as specific as the most of it':
    ':is(p,#other){mask:url(a)}p.a{mask:url(b)}:where(#i){background:url(c)}p{background:url(d)}',
  ':not()': {
    css: 'p:not(.b){background:url(a)}p:not(.a,.b){mask:url(b)}p:not(:hover){cursor:url(c),auto}i:not([hidden]){background:url(d)}',
    html: '<p class=a>x</p><i>y</i><i hidden>z</i>',
  },
  ':has()': {
    css: 'div:has(> p){background:url(a)}div:has(i){mask:url(b)}section:has(+ div){background:url(c)}p:has(i)~b{cursor:url(d),auto}:root:has(.x) p{mask:url(e)}body:not(:has(u)) b{mask:url(f)}',
    html: '<section>s</section><div><p class=x>x</p></div><b>y</b>',
  },
  ':nth-child()': {
    css: 'li:nth-child(2n){background:url(a)}li:nth-child(4){mask:url(b)}li:nth-last-child(1){mask:url(c)}li:nth-child(1 of .x){cursor:url(d),auto}li:nth-of-type(n+4){background:url(e)}',
    html: '<ul><li>a<li class=x>b<li>c</ul>',
  },
  ':nth-child(of) is as specific as the most of its list':
    'p:nth-child(1 of i,#i){background:url(a)}p.a.a.a{background:url(b)}',
  'first, last and only children': {
    css: 'p:last-child{background:url(a)}i:only-child{mask:url(b)}p:first-of-type{mask:url(c)}p:last-of-type{cursor:url(d),auto}b:only-of-type{mask:url(e)}',
    html: '<div><p>x</p><p><i>y</i></p><b>z</b></div>',
  },
  ':empty': {
    css: 'p:empty{background:url(a)}i:empty{background:url(b)}b:empty{background:url(c)}div:not(:empty){mask:url(d)}',
    html: '<p></p><div><i> </i></div><b><!-- x --></b>',
  },
  'states of controls': {
    css: ':checked{background:url(a)}:disabled{mask:url(b)}input:enabled{mask:url(c)}:required{cursor:url(d),auto}:placeholder-shown{border-image:url(f) 1}',
    html: '<input type=checkbox checked><button disabled>x</button><input placeholder=y><fieldset disabled><input required></fieldset>',
  },
  'states that nothing is in': {
    css: 'p:focus,p:focus-visible,p:target,p:active,a:visited{background:url(a)}p:not(:focus-within){mask:url(b)}',
    html: '<p>x</p><a href=y>z</a>',
  },
  ':lang() and attributes': {
    css: ':lang(de) p{background:url(a)}p[data-x]{mask:url(b)}p[data-x^="1" i]{cursor:url(c),auto}[data-y]{background:url(d)}',
    html: '<div lang=de-AT><p data-x=1>x</p></div>',
  },
  'relations of elements beside': {
    css: 'p + i{background:url(a)}i + p{background:url(b)}p ~ b{mask:url(c)}b ~ p{mask:url(d)}',
    html: '<p>x</p><i>y</i><b>z</b>',
  },
  'nested rules of lists': {
    css: '.a,#none{& > i{background:url(a)}.x &{mask:url(b)}&:is(p){cursor:url(c),auto}b,i{mask:url(d)}}',
    html: '<p class=a>x<i>y</i></p>',
  },
  'a pseudo-class that nobody knows':
    'p,p:-moz-foo{background:url(a)}p:is(.a,:foo){mask:url(b)}p:first{cursor:url(c),auto}',
  // Whole pages, as generators write them today.
  'a block theme': {
    css: `${face('f')}:root{--wp--preset--font-family--body:"f",serif}:root :where(body){font-family:var(--wp--preset--font-family--body)}
      :root :where(.wp-block-cover.has-x){background-image:url(a)}:where(.wp-site-blocks) > *{mask:url(b)}
      :root :where(.is-layout-flow) > :first-child{list-style-image:url(c)}:root :where(.is-layout-flow) > :last-child{cursor:url(d),auto}
      .wp-block-group:not(:last-child):has(> .wp-block-image){background:url(e)}html :where([style*=border-width]){border-image:url(g) 1}
      :is(h1,h2):where(:not(.x)) + p{background:url(h)}.wp-block-button:not(.is-style-outline) > a:not(:hover){background:url(i)}`,
    html: `<div class=wp-site-blocks><header class="wp-block-cover has-x"><h1>t</h1><p>x</p></header>
      <main class=is-layout-flow><div class=wp-block-group><figure class=wp-block-image>i</figure></div>
      <div class=wp-block-button><a href=x>y</a></div><p style="border-width:1px">z</p></main></div>`,
  },
  'utilities in layers': {
    css: String.raw`@layer theme,base,utilities;@layer theme{:root,:host{--font-sans:f;--hero:url(a)}}
      @layer base{html,:host{font-family:var(--font-sans,serif)}*,::before{--tw-x:initial;mask:none}}
      @layer utilities{.bg-hero{background-image:var(--hero)}.peer-checked\:b{&:is(:where(.peer):checked ~ *){background-image:url(b)}}
      .md\:c{@media (width >= 48rem){mask-image:url(c)}}.hover\:d{&:hover{@media (hover:hover){background-image:url(d)}}}
      .has-\[\:checked\]\:e{&:has(*:is(:checked)){mask-image:url(e)}}.first\:g{&:first-child{border-image:url(g) 1}}
      .\*\:h{:is(& > *){cursor:url(h),auto}}.before\:i{&::before{content:var(--tw-content,"");background-image:url(i)}}}
      ${face('f')}.supports{@supports (display:grid){list-style-image:url(j)}}`,
    html: `<div class="bg-hero has-[:checked]:e *:h"><input class=peer type=checkbox checked><p class="peer-checked:b md:c hover:d first:g">x</p>
      <i class="before:i first:g supports">y</i></div>`,
  },
  // What renders nothing.
  hidden: {
    css: 'p{background:url(a)}i{background:url(b)}b{background:url(c)}div{mask:url(d)}',
    html: '<p hidden>x</p><div hidden=until-found><i>y</i></div><b hidden style="display:block">z</b>',
  },
  'a closed dialog, and an open one': {
    css: 'dialog p{background:url(a)}dialog i{background:url(b)}',
    html: '<dialog><p>x</p></dialog><dialog open><i>x</i></dialog>',
  },
  'details: the summary, and open ones': {
    css: 'summary{background:url(a)}details p{background:url(b)}details i{background:url(c)}details::after{content:"";mask:url(d)}',
    html: '<details><summary>x</summary><p>y</p></details><details open><i>z</i></details>',
  },
  popover: { css: 'p{background:url(a)}', html: '<p popover>x</p>' },
  'content-visibility: hidden': {
    css: 'div{content-visibility:hidden;background:url(a)}p{background:url(b)}div::before{content:"";mask:url(c)}',
    html: inDiv,
  },
  'text of what is not rendered': {
    css: `${face('x')}${face('y')}p{font-family:x}i{font-family:y}`,
    html: '<dialog><p>x</p></dialog><div style="content-visibility:hidden"><i>y</i></div>',
  },
  'presentation attributes': {
    css: `${face('x')}`,
    html:
      '<style>g{mask:none}</style><svg><rect fill="url(a.svg#x)" width=9 height=9 /><rect filter="url(b.svg#x)" width=9 ' +
      'height=9 /><g mask="url(c.svg#x)"><text font-family=x>text</text></g></svg>',
  },
  '@supports of what Chromium does not know': {
    css: '@supports (foo:bar) or (-webkit-touch-callout:none){p{background:url(a)}}@supports not (foo:bar){p{mask:url(b)}}@supports (--x:y) and (-webkit-appearance:none){p{cursor:url(c),auto}}@supports (-webkit-hyphens:none) or (hanging-punctuation:first){i{mask:url(d)}}',
    html: '<p>x<i>y</i></p>',
  },
  'alternate style sheets': {
    css: 'i{color:red}',
    html: '<link rel="alternate stylesheet" title=dark href=a.css><link rel="alternate stylesheet" href=b.css><p>x',
  },
  'imports whose condition does not hold': {
    css:
      '@import "a.css" supports(foo:bar);@import "b.css" supports(display:grid);@import "c.css" supports(not (color:red));' +
      '@import "d.css" supports((display:grid) and (foo:bar)) screen;@import "e.css" layer supports(foo:bar);',
    html: users,
  },
  'sets of style sheets: that of the first title, which is in no alternate one': {
    css: 'i{color:red}',
    html: `<link rel="alternate stylesheet" title=y href=b.css><link rel=stylesheet title="" href=c.css><style title=x>i{color:red}</style>
      <link rel=stylesheet title=x href=a.css><link rel=stylesheet title=X href=d.css><link rel="alternate stylesheet" title=x href=e.css>
      <style title=y>.b{cursor:url(f),auto}</style>${users}`,
  },
  'the set that a meta element names': {
    css: 'i{color:red}',
    html: `<meta http-equiv=default-style content=y><link rel=stylesheet title=x href=a.css><link rel=stylesheet title=y href=b.css>${users}`,
  },
  'a set is chosen once, and not by what stands in a template': {
    css: 'i{color:red}',
    html: `<template><link rel=stylesheet title=y href=a.css></template><link rel=stylesheet title=x href=b.css>
      <meta http-equiv=default-style content=y><style title=y>.b{cursor:url(f),auto}</style>${users}`,
  },
  'the layer of an import whose condition does not hold':
    '@import "a.css" layer(x) supports((foo:bar));@layer y{p{background:url(b)}}@layer x{p{background:url(c)}}',
  'style that a policy blocks': {
    css: 'i{color:red}',
    html: `<meta http-equiv=content-security-policy content="style-src 'nonce-q' *; base-uri 'none'"><base href=/x/>
      <style>p{background:url(a)}</style><style nonce=q>p{mask:url(b)}</style><p style="cursor:url(c),auto">x`,
  },
  'an import map and a module that a policy blocks': {
    css: 'i{color:red}',
    html: `<meta http-equiv=content-security-policy content="script-src 'self'">
      <script type=importmap>{"imports":{"m":"./n.js"}}</script><script type=module>import "m"</script>`,
  },
  // What follows needs values or layout, which the scanner does not do.
  'a value that is invalid': { css: 'p{background:url(a);background:url(b) foo}', differs: 'a' },
  'a property that is not supported': '@supports (foo:bar){p{background:url(a)}}',
  'in details': { css: 'p{background:url(a)}', html: '<details><p>text</details>' },
  'a placeholder that is absent': {
    css: 'input::placeholder{background:url(a)}',
    html: '<input>',
  },
  'a string by var() in image-set()': {
    css: ':root{--a:"a"}p{background:image-set(var(--a) 1x)}',
    differs: 'a',
  },
  'the initial value of @property': {
    css: '@property --x{syntax:"<image>";inherits:false;initial-value:url(a)}p{background:var(--x)}',
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
  const browser = sharedBrowser(launchChromium);

  const pages = new Map<number, Promise<Page>>();
  function pageOf(dpr: number): Promise<Page> {
    const { width, height } = screen;
    const options = { viewport: { width, height }, deviceScaleFactor: dpr };
    const page = pages.get(dpr) ?? browser().newPage(options);
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
      const body = further(path);
      if (path.endsWith('.css')) return route.fulfill({ contentType: 'text/css', body });
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

  it.each(Object.entries(cases))('%s', async (name, given) => {
    const each: Case = typeof given === 'string' ? { css: given } : given;
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
  const url = 'http://site.example/';
  const scanner = createScanner({ url, viewport: screen, dpr });
  const references = [
    ...scanner.write(`<!doctype html><link rel=stylesheet href=s.css>${html}`),
    ...scanner.end(),
  ];
  for (const { kind, url } of references) {
    if (kind !== 'stylesheet') continue;
    const [path = ''] = url.split('/').slice(-1);
    const sheet = scanner.styleSheet({ url });
    references.push(...sheet.write(path === 's.css' ? css : further(path)), ...sheet.end());
  }
  const paths = references.map((reference) => new URL(reference.url).pathname.slice(1));
  return [...new Set(paths)].filter((path) => path !== 's.css').sort();
}
