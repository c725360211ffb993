// Queries of URLs on pages in other encodings than UTF-8, and <meta> that comes late: what Chromium asks for, the
// loader asks for.

import { afterAll, describe, expect, it } from 'vitest';
import { loadPage } from '../../loader/index.ts';
import { hasChromium, launchChromium } from '../support/chromium.ts';
import { answering, response } from '../support/raw-server.ts';
import { sharedBrowser } from './set-up.ts';

const browser = sharedBrowser(launchChromium);
let page: { contentType: string; html: Buffer };
const asked: string[] = [];

const server = await answering(({ path }, connection) => {
  if (path === '/') connection.write(response(page.html, { 'Content-Type': page.contentType }));
  else {
    if (path !== '/favicon.ico') asked.push(path);
    connection.write(response(''));
  }
});
afterAll(() => server[Symbol.asyncDispose]());

/** That the loader asks for on this page what Chromium does. */
async function expectBothAsk(contentType: string, html: string): Promise<void> {
  page = { contentType, html: Buffer.from(html, 'latin1') };
  const tab = await browser().newPage();
  await tab.goto(`${server.origin}/`);
  await tab.close();
  const chromium = asked.splice(0).sort();
  await loadPage(server.origin);
  expect(chromium).not.toEqual([]);
  expect(asked.splice(0).sort()).toEqual(chromium);
}

/** Of Europe, Japan, China, Korea and Hong Kong; what encodings write in two ways, or not at all. */
const characters = [
  ...'éßŁżЖя€¥‾“”\u00a0\u0080\u00ff',
  ...'あア日本ｱｶﾞ①−～〜∥\u3000\u00a2',
  ...'中国汉字漢字十卅兀嗀龥\ue5e5\ue7c7\u1e3f鿿𠀀',
  ...'한글똠방각하㉮啕銹',
  ...'\u{1f600}\ufffd\uf7e9\uf780\u0e01\u0621',
];

const encodings = (
  'windows-1252 iso-8859-2 iso-8859-8-i koi8-r koi8-u windows-1251 windows-874 macintosh ' +
  'shift_jis euc-jp iso-2022-jp gbk gb18030 big5 euc-kr x-user-defined utf-16le utf-8'
).split(' ');

describe.skipIf(!hasChromium)('beside Chromium', () => {
  it.each(encodings)('%s: characters in a query (URL standard, query state)', async (encoding) => {
    const reference = (text: string) =>
      [...text].map((character) => `&#${character.codePointAt(0)};`).join('');
    const all = characters.join('a');
    const html = [
      ...characters.map((character, index) => `<img src="${index}?${reference(character)}">`),
      `<img src="all?${reference(all)}">`,
      `<img src="?x='&quot;<>&#96;{}|^&#92;~%41&#${0xe9};+ z#${reference('é')}">`,
      `<img src="${reference('é')}/path?${reference('é')}?#${reference('é')}">`,
    ].join('');
    const bytes = encoding === 'utf-16le' ? Buffer.from(html, 'utf16le').toString('latin1') : html;
    await expectBothAsk(`text/html; charset=${encoding}`, bytes);
  });

  const far = `<!--${'x'.repeat(1100)}-->`;
  const koi8 = '<meta charset=koi8-r>';
  const image = (name: string) => `<img src="${name}?\xe9">`;
  it.each<[string, string]>([
    ['in the first 1,024 bytes, behind what it decides', `<p>${image('a')}${koi8}${image('b')}`],
    ['later in the head', `<head><script src="a?\xe9"></script>${far}${koi8}${image('b')}`],
    ['later, behind text of the head', `<head><title>\xe9</title>${far}${koi8}${image('b')}`],
    ['much later in the head', `<head>${far.repeat(30)}${koi8}${image('b')}`],
    ['later in a body', `<body>${image('a')}${far}${koi8}${image('b')}`],
    ['later, behind the end of the head', `<head></head>${far}${koi8}${image('b')}`],
    ['later, in a head nobody opened', `<!doctype html>${far}${koi8}${image('b')}`],
    ['later, behind scripts', `<script>"<p>"</script><style>a<b</style>${far}${koi8}${image('b')}`],
    ['later, behind comments', `<!-- <body> -->${far}${koi8}${image('b')}`],
    ...['<p>', '</head>', '</p>', '<img src=a>'].map((tag): [string, string] => [
      `later, behind ${tag}`,
      `${tag}${far}${koi8}${image('b')}`,
    ]),
    [
      'later, as http-equiv',
      `${far}<meta http-equiv=Content-Type content="text/html; charset='koi8-r'">${image('b')}`,
    ],
    ['later, for UTF-16', `${far}<meta charset=utf-16><img src="a?\xc3\xa9">`],
    ['later, x-user-defined', `${far}<meta charset=x-user-defined>${image('b')}`],
    ['later, for UTF-8', `<head>${far}<meta charset=utf-8><img src="a?\xc3\xa9">`],
    ['later, of no encoding', `<head>${far}<meta charset=nonsense>${koi8}${image('b')}`],
    ['x-user-defined', `<meta charset=x-user-defined>${image('a')}`],
    ['and a base with a query, which is UTF-8', `${koi8}<base href="based/?\xc1"><img src="#a">`],
    ['a character reference before it', `<img src="a?&#1078;">${koi8}<img src="b?&#1078;">`],
  ])('meta %s', async (_name, html) => {
    await expectBothAsk('text/html', html);
  });
});
