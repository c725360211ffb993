// One table of cases that each way to have a site hinted passes. In each case some visitors, of an address each, open
// the same pages one after the other; then the rules of a page are looked at by somebody new.

import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { visit } from '../support/visit.ts';
import { type Answer, enough } from './nginx-set-up.ts';
import type { HintedSite } from './nginx-site.ts';
import { type Way, ways } from './ways.ts';

interface Step {
  url: string;
  method?: string;
  headers?: Record<string, string>;
}

interface Case {
  steps: readonly (string | Step)[];
  /** Whose rules are looked at; absent: the first. */
  page?: string;
  /** URLs in its rules, null: it names none. The last page is among them, so that its visits are awaited. */
  named: readonly string[] | null;
  /** Where nothing is known of responses: by mirror. */
  unseen?: readonly string[];
  /** By log, which tells no lifetimes. */
  logged?: readonly string[];
  /** The site is asked under this name. */
  host?: string;
}

const day = 24 * 60 * 60 * 1000;

/** What the last part of the path says. */
const answers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  cookie: { 'Set-Cookie': 'a=b' },
  private: { 'Cache-Control': 'max-age=300, private' },
  'no-store': { 'Cache-Control': 'no-store' },
  varying: { Vary: '*' },
  noindex: { 'X-Robots-Tag': 'googlebot: NoIndex, nofollow' },
  download: { 'Content-Type': 'application/zip' },
  moved: { Location: '/elsewhere' },
};
const statuses: Readonly<Record<string, number>> = { missing: 404, moved: 302 };
const ofFolder: Readonly<Record<string, () => Record<string, string>>> = {
  '/dated/': () => ({ 'Last-Modified': new Date(Date.now() - 10 * day).toUTCString() }),
  '/short/': () => ({ 'Cache-Control': 'max-age=0' }),
};

const site: Answer = ({ url = '' }, response) => {
  const [, folder = '', name = ''] = /^(\/[^/]*\/)?.*?([^/?#]*)(?:[?#].*)?$/.exec(url) ?? [];
  const own = ofFolder[folder]?.() ?? { 'Cache-Control': 'max-age=300' };
  const fields = { 'Content-Type': 'text/html', ...own, ...answers[name] };
  response.writeHead(statuses[name] ?? 200, fields).end(`page ${url}`);
};

const byScript = { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors', 'sec-fetch-user': '' };
const robot = { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' };
const elsewhere = { referer: 'https://other.example/', 'sec-fetch-site': 'cross-site' };
const noReferer = { referer: '' };
const open = (url: string, headers: Record<string, string>): Step => ({ url, headers });
const notForAll = ['cookie', 'private', 'no-store', 'varying', 'noindex', 'missing', 'moved'];

const cases: Readonly<Record<string, Case>> = {
  'escapes are spelled as the links are': {
    steps: ['/escapes/', '/escapes/%d0%bf', '/escapes/%7Eme', '/escapes/a%2Db'],
    named: ['/escapes/%7Eme', '/escapes/%d0%bf', '/escapes/a%2Db'],
  },
  'a page has its rules in each spelling': {
    steps: ['/spelled/%d0%bf', '/spelled/next'],
    page: '/spelled/%D0%BF',
    named: ['/spelled/next'],
  },
  'parameters keep their order': {
    steps: ['/listed/', '/listed/list?page=2&lang=en'],
    named: ['/listed/list?page=2&lang=en'],
    unseen: [],
  },
  'tracking parameters are those of the link': {
    steps: ['/tracked/', '/tracked/news?utm_source=home'],
    named: ['/tracked/news?utm_source=home'],
  },
  'a page with tracking parameters has its rules': {
    steps: ['/from/?utm_source=mail', '/from/next'],
    page: '/from/?utm_source=letter',
    named: ['/from/next'],
  },
  'a fragment is no part of the page': { steps: ['/hash/', '/hash/b#part'], named: ['/hash/b'] },
  'pages ahead are named where a browser keeps them by their date': {
    steps: ['/dated/', '/dated/2', '/dated/3'],
    named: ['/dated/2', '/dated/3'],
  },
  'pages ahead are not named where it drops them': {
    steps: ['/short/', '/short/2', '/short/3'],
    named: ['/short/2'],
    unseen: ['/short/2', '/short/3'],
    logged: ['/short/2', '/short/3'],
  },
  'a page that scripts fetch, too, is a page': {
    steps: ['/fetched/', '/fetched/b', open('/fetched/b', byScript)],
    named: ['/fetched/b'],
  },
  'what only a POST asked for is not named': {
    steps: ['/form/', { url: '/form/sent', method: 'POST' }, '/form/sure'],
    named: ['/form/sure'],
  },
  'what acts or is private by its name is not named': {
    steps: [
      ...['/acts/', '/acts/logout', '/acts/list?action=delete'],
      ...['/acts/reset/9f86d081884c7d659a2feaa0c55ad015', '/acts/sure'],
    ],
    named: ['/acts/sure'],
  },
  'what was opened from elsewhere follows nothing': {
    steps: ['/foreign/', '/foreign/sure', open('/foreign/b', elsewhere)],
    named: ['/foreign/sure'],
  },
  'a Referer may be missing': { steps: ['/mute/', open('/mute/b', noReferer)], named: ['/mute/b'] },
  'a Referer may be the origin alone': {
    steps: ['/cut/', open('/cut/b', { referer: 'origin' })],
    named: ['/cut/b'],
  },
  'robots teach nothing': {
    steps: [open('/robots/', robot), open('/robots/b', robot), '/robots/', '/robots/sure'],
    page: '/robots/',
    named: ['/robots/sure'],
  },
  'what was only prefetched is not named': {
    steps: ['/ahead/', open('/ahead/b', { 'sec-purpose': 'prefetch' }), '/ahead/sure'],
    named: ['/ahead/sure'],
  },
  'a download is no page': {
    steps: ['/files/', '/files/download', '/files/sure'],
    named: ['/files/sure'],
    unseen: ['/files/download', '/files/sure'],
  },
  ...Object.fromEntries(
    notForAll.flatMap((name): [string, Case][] => {
      const [own, sure] = [`/to-${name}/${name}`, `/to-${name}/sure`];
      return [
        [
          `${name}: not named`,
          { steps: [`/to-${name}/`, own, sure], named: [sure], unseen: [own, sure] },
        ],
        [`${name}: no rules`, { steps: [`/of-${name}/${name}`, `/of-${name}/sure`], named: null }],
      ];
    }),
  ),
  'one site': { steps: ['/', '/layoffs'], host: 'acme.example', named: ['/layoffs'] },
  'another site': { steps: ['/', '/jobs'], host: 'globex.example', named: ['/jobs'] },
};

const navigates = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' };
const opens = { 'sec-fetch-user': '?1', ...navigates };

interface Rule {
  urls?: string[];
  eagerness?: string;
}

/** URLs that the rules of a page fetch without waiting for the pointer, sorted; null: it names no rules. */
async function namedBy(url: string, page: string, from: string, host: string) {
  const { headers } = await visit(url + page, { from, headers: { host, ...opens } });
  const rules = /^"([^"]*)"$/.exec(String(headers['speculation-rules']))?.[1];
  if (rules === undefined) return null;
  const asked = { host, 'sec-fetch-dest': 'speculationrules', referer: `http://${host}${page}` };
  const { body } = await visit(new URL(rules, url + page).href, { from, headers: asked });
  const { prefetch = [] } = JSON.parse(body || '{}') as { prefetch?: Rule[] };
  return prefetch
    .flatMap(({ urls = [], eagerness }) => (eagerness === 'moderate' ? [] : urls))
    .sort();
}

describe.each(ways)('%s', (way: Way, start) => {
  let hinted: HintedSite;
  const folder = folderOfTests();
  let number = 0;
  beforeAll(async () => {
    hinted = await start(site, folder);
  });
  afterAll(async () => {
    await hinted[Symbol.asyncDispose]();
  });

  it.each(Object.entries(cases))('%s', async (_, given) => {
    const { page, host } = given;
    const steps = given.steps.map(
      (step): Step => (typeof step === 'string' ? { url: step } : step),
    );
    const known: Partial<Record<Way, readonly string[] | undefined>> = {
      'nginx, whose log teaches': given.logged,
      'nginx, whose mirror teaches': given.unseen,
    };
    const named = known[way] ?? given.named;
    const authority = host ?? hinted.url.replace('http://', '');
    const looked = page ?? (steps[0]?.url as string);
    number++;
    let visitors = 0;
    const visitorComes = async () => {
      const from = `127.1.${number}.${++visitors}`;
      let referer = '';
      for (const { url, method = 'GET', headers = {} } of steps) {
        const said = { referer, ...(referer !== '' && { 'sec-fetch-site': 'same-origin' }) };
        const all = { host: authority, ...opens, ...said, ...headers };
        if (all.referer === 'origin') all.referer = `http://${authority}/`;
        const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
        await visit(hinted.url + url, { from, method, headers: sent });
        if (method === 'GET' && headers['sec-purpose'] === undefined) {
          referer = `http://${authority}${url.replace(/#.*/, '')}`;
        }
      }
    };
    const expected = named?.toSorted() ?? null;
    // A page counts twice for an address, so looking again changes nothing.
    const look = () => namedBy(hinted.url, looked, `127.2.${number}.1`, authority);
    while (visitors <= enough) await visitorComes();
    await hinted.caughtUp?.();
    let seen = await look();
    // A busy service learns and hints fewer visitors: then more have to come.
    while (!isDeepStrictEqual(seen, expected) && visitors < 100) {
      await visitorComes();
      await hinted.caughtUp?.();
      seen = await look();
    }
    expect(seen).toEqual(expected);
  });
});
