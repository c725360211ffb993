// The script for browsers that know no speculation rules: what it fetches, and when it keeps still.

import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { prefetchScriptOf } from '../../prefetchd/wire/prefetch-script.ts';
import type { Handler } from '../../server/index.ts';
import { hasChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import {
  type HintedSite,
  hintedSite,
  type Reader,
  reader,
  readOn,
  sharedBrowser,
} from './set-up.ts';

const [first, second, other] = ['/', '/beginnings/', '/waiting/'] as const;
const rules = '/speculation-rules.json';
const options = { speculationRules: '/prefetch.js' };

/** As where the fields of pages cannot be changed: Chromium heeds them, whatever its pages are told. */
const withoutField: Handler = (_, res, next) => {
  const setHeader = res.setHeader.bind(res);
  const ours = ['Speculation-Rules', 'Link'];
  res.setHeader = (name, value) => (ours.includes(name) ? res : setHeader(name, value));
  next();
};

it('has at most 2 KB', () => {
  expect(Buffer.byteLength(prefetchScriptOf(rules))).toBeLessThanOrEqual(2048);
});

it('cannot be broken out of by the path of its rules', () => {
  expect(prefetchScriptOf('/a$&"</script>')).toContain('|| "/a$&\\"\\u003c/script>"');
});

describe.skipIf(!hasChromium)('the script in Chromium', () => {
  const browser = sharedBrowser();

  /** What the script added, once there is at least so much, or once it has had its time. */
  async function run(
    { page }: Reader,
    hinted: HintedSite,
    { least = 0, data = '' } = {},
  ): Promise<string[]> {
    await page.evaluate(
      ([src, rulesAt]) =>
        new Promise((resolve, reject) => {
          // biome-ignore lint/suspicious/noExplicitAny: a page's globals are not those of this file
          const { document } = globalThis as any;
          const script = Object.assign(document.createElement('script'), { src });
          if (rulesAt) script.dataset.rules = rulesAt;
          script.onload = resolve;
          script.onerror = reject;
          document.head.append(script);
        }),
      [`${hinted.site.url}/prefetch.js`, data],
    );
    // It asks for rules when the page is idle, and adds when it is again; what is queued behind it comes later.
    for (let round = 0; round < 3; round++) {
      await page.evaluate('new Promise((resolve) => requestIdleCallback(resolve))');
      await page.evaluate("fetch('/favicon.ico').then((answer) => answer.status)");
    }
    const links = (): Promise<string[]> =>
      page.evaluate("[...document.querySelectorAll('link[rel=prefetch]')].map((a) => a.href)");
    await eventually(async () => (await links()).length >= least, 'links are added');
    return links();
  }

  /** Somebody whose browser knows no speculation rules opens a page. */
  async function visiting(hinted: HintedSite, path = ''): Promise<Reader> {
    const someone = await reader(browser(), { knowsRules: false });
    await someone.page.goto(hinted.site.url + path);
    return someone;
  }

  /** How often the script asked for rules. */
  const asked = ({ site }: HintedSite) =>
    site.requests.filter(
      ({ path, headers }) => path.startsWith(rules) && headers['sec-fetch-dest'] === 'empty',
    ).length;

  it('fetches the next page, which the click then takes from the cache', async () => {
    await using hinted = await hintedSite(options, { before: [withoutField] });
    await hinted.teach(first, second, '/beginnings/proposal.html');
    await using someone = await visiting(hinted);
    for (const path of [second, '/beginnings/proposal.html']) {
      expect(await run(someone, hinted, { least: 1 })).toEqual([hinted.site.url + path]);
      expect(await hinted.prefetched(path)).toBe(1);
      expect(await readOn(someone.page)).toBe('cache');
      expect(hinted.site.count(path)).toEqual({ requests: 3 + 1, prefetches: 1 });
    }
    expect(someone.said).toEqual([]);
    expect(hinted.prefetchd.stats().notLearned.prefetch).toBe(2);
  });

  it('asks at the own URL of the page, where its element says so', async () => {
    const asked: unknown[] = [];
    const guarded: Handler = (req, res, next) => {
      if (!req.url?.endsWith('prefetchd-rules')) return next();
      asked.push(req.url);
      res.setHeader('Content-Type', 'application/speculationrules+json');
      res.end(JSON.stringify({ prefetch: [{ urls: [second], eagerness: 'immediate' }] }));
    };
    await using hinted = await hintedSite(options, { before: [withoutField, guarded] });
    await using someone = await reader(browser(), { knowsRules: false });
    for (const search of ['', '?a=%20']) {
      await someone.page.goto(hinted.site.url + search);
      const added = await run(someone, hinted, { least: 1, data: '?prefetchd-rules' });
      expect(added).toEqual([hinted.site.url + second]);
    }
    expect(asked).toEqual(['/?prefetchd-rules', '/?a=%20&prefetchd-rules']);
  });

  it('needs no more of a content security policy than script and connections of its own', async () => {
    const strict: Handler = (req, res, next) => {
      if (req.url !== '/strict') return next();
      res.setHeader(
        'Content-Security-Policy',
        "default-src 'none'; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'",
      );
      res.setHeader('Content-Type', 'text/html');
      res.end('<!DOCTYPE html><title>Strict</title><script src="/prefetch.js" async></script>');
    };
    await using hinted = await hintedSite(options, { before: [withoutField], behind: [strict] });
    await hinted.teach('/strict', second);
    await using someone = await visiting(hinted, '/strict');
    expect(await hinted.prefetched(second)).toBe(1);
    expect(someone.said).toEqual([]);
  });

  it.each(['off', 'moderate'] as const)(
    'leaves less probable pages until the pointer is on a link to them; other links: %s',
    async (otherLinks) => {
      const all = { ...options, threshold: 0.2 };
      await using hinted = await hintedSite(all, { before: [withoutField] });
      hinted.prefetchd.tune({ otherLinks });
      await hinted.teach(first, second);
      await hinted.teach(first, other);
      await using someone = await visiting(hinted);
      expect(await run(someone, hinted)).toEqual([]);
      await someone.page.hover(`nav a[href="waiting/"]`);
      expect(await hinted.prefetched(other)).toBe(1);
      expect(hinted.site.count(second).prefetches).toBe(0);
    },
  );

  it('does nothing in a browser that knows speculation rules', async () => {
    await using hinted = await hintedSite(options);
    await hinted.teach(first, second);
    await using someone = await reader(browser());
    await someone.page.goto(hinted.site.url);
    await hinted.prefetched(second);
    expect(await run(someone, hinted)).toEqual([]);
    expect(asked(hinted)).toBe(0);
    expect(await readOn(someone.page)).toBe('navigational-prefetch');
  });

  it.each([
    ['saves data', 'Emulation.setDataSaverOverride', { dataSaverEnabled: true }],
    [
      'prefers reduced data',
      'Emulation.setEmulatedMedia',
      { features: [{ name: 'prefers-reduced-data', value: 'reduce' }] },
    ],
  ] as const)('does nothing for a visitor who %s', async (_, method, setting) => {
    await using hinted = await hintedSite(options, { before: [withoutField] });
    await hinted.teach(first, second);
    await using someone = await visiting(hinted);
    const devtools = await someone.context.newCDPSession(someone.page);
    await devtools.send(method, setting as never);
    expect(await run(someone, hinted)).toEqual([]);
    expect(asked(hinted)).toBe(0);
  });

  it('believes no rules: pages of this origin alone, none that acts, at most eight', async () => {
    const urls = [
      ...['javascript:alert(1)', 'data:text/html,x', 'https://else.example/a', '//else.example/a'],
      ...['/logout', '/sign-out', '/posts/5/delete', '/', '/#part', 'http://['],
      ...Array.from({ length: 20 }, (_, number) => `/page-${number}`),
    ];
    const hostile: Handler = (req, res, next) => {
      const answers: Record<string, unknown> = {
        '/hostile': {
          prefetch: [{ urls: urls.filter((url) => url !== 'http://['), eagerness: 'immediate' }],
        },
        '/broken': { prefetch: [{ urls, eagerness: 'immediate' }, { urls: 7 }, null] },
        '/none': { prefetch: 'x' },
        '/text': 'x',
      };
      const answer = answers[req.url?.replace(/\?.*/, '') ?? ''];
      if (answer === undefined) return next();
      res.setHeader('Content-Type', 'application/json');
      res.end(answer === 'x' ? '<p>no JSON' : JSON.stringify(answer));
    };
    await using hinted = await hintedSite(options, { before: [hostile] });
    for (const [path, most] of [
      ['/hostile', 8],
      ['/broken', 8],
      ['/none', 0],
      ['/text', 0],
      ['https://else.example/rules', 0],
    ] as const) {
      await using someone = await visiting(hinted);
      const links = await run(someone, hinted, { data: path, least: path === '/hostile' ? 8 : 0 });
      expect(links.length, path).toBeLessThanOrEqual(most);
      if (path === '/hostile') expect(links.length).toBe(8);
      for (const link of links) expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/page-\d+$/);
      expect(
        someone.said.filter((line) => !line.includes('404')),
        path,
      ).toEqual([]);
    }
  });
});
