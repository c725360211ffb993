// A visitor's browser that fetches, prefetches and shows pages as Chromium does (docs/browser.md), over real HTTP and
// without drawing anything: two hundred of it take seconds. It hovers over a link before the click.

import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface ScriptedBrowserOptions {
  /** Origin of the site. */
  site: string;
  /** Of the visitor: 127.0.0.0/8 is all loopback. */
  address: string;
  /** False: one with `rel=prefetch` alone, such as Firefox. */
  knowsRules: boolean;
  /** Referrer-Policy of the site's pages. */
  policy?: 'no-referrer' | 'origin';
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Purpose {
  dest: string;
  accept?: string;
  isPrefetch?: boolean;
  body?: string;
}

interface Rules {
  prefetch?: ReadonlyArray<{ urls: readonly string[]; eagerness: string }>;
}

const html = 'text/html,application/xhtml+xml,*/*;q=0.8';
const chromium = {
  'User-Agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'Sec-CH-UA': '"Chromium";v="140"',
};
const firefox = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
};

export class ScriptedBrowser implements Disposable {
  readonly #options: ScriptedBrowserOptions;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** What may be shown without asking again. */
  readonly #cache = new Map<string, Answer>();
  /** What rules brought for the page that is shown. */
  #ahead = new Map<string, Answer>();
  #onHover: readonly string[] = [];
  #page: string | undefined;
  /** Pages that were shown without a request. */
  shownFromPrefetch = 0;

  constructor(options: ScriptedBrowserOptions) {
    this.#options = options;
  }

  async open(path: string): Promise<void> {
    if (this.#onHover.includes(path)) await this.#prefetchByRules(path);
    const had = this.#ahead.get(path) ?? this.#cache.get(path);
    if (had !== undefined) this.shownFromPrefetch++;
    const page = had ?? (await this.#get(path, { dest: 'document', accept: html }));
    this.#ahead = new Map();
    const from = this.#page;
    this.#page = path;
    await this.#load('stylesheet', page, { dest: 'style', accept: 'text/css,*/*;q=0.1' });
    if (page.body.includes('/prefetch-beacon.js')) {
      await this.#fetch('/prefetch-beacon.js', { dest: 'script' });
      const shown = { moment: 'shown', page: path, from, navigation: 'navigate' };
      await this.#get('/prefetch-beacon', { dest: 'empty', body: JSON.stringify(shown) });
    }
    await this.#followRules(page);
    await this.#followLinks(page);
  }

  async #load(rel: string, { body }: Answer, purpose: Purpose): Promise<void> {
    for (const [, path] of body.matchAll(new RegExp(`rel="${rel}" href="([^"]*)"`, 'g'))) {
      await this.#fetch(path as string, purpose);
    }
  }

  async #followRules({ headers }: Answer): Promise<void> {
    this.#onHover = [];
    const named = headers['speculation-rules'];
    if (!this.#options.knowsRules || named === undefined) return;
    for (const [, path] of String(named).matchAll(/"([^"]*)"/g)) {
      const { pathname, search } = new URL(path as string, this.#options.site + this.#page);
      const { status, body } = await this.#fetch(pathname + search, { dest: 'speculationrules' });
      // As nginx answers while the service is busy: browsers then have no rules.
      if (status !== 200) continue;
      for (const { urls, eagerness } of (JSON.parse(body) as Rules).prefetch ?? []) {
        if (eagerness === 'immediate') for (const url of urls) await this.#prefetchByRules(url);
        else this.#onHover = [...this.#onHover, ...urls];
      }
    }
  }

  async #followLinks({ headers }: Answer): Promise<void> {
    const named = String(headers.link ?? '');
    for (const [, path] of named.matchAll(/<([^>]*)>; rel=prefetch/g)) {
      await this.#fetch(path as string, { dest: 'empty', accept: '*/*', isPrefetch: true });
    }
  }

  async #prefetchByRules(path: string): Promise<void> {
    if (path === this.#page || this.#ahead.has(path)) return;
    const purpose = { dest: 'document', accept: html, isPrefetch: true };
    const answer = await this.#fetch(path, purpose);
    if (answer.status === 200) this.#ahead.set(path, answer);
  }

  /** From the cache, or the network. */
  async #fetch(path: string, purpose: Purpose): Promise<Answer> {
    return this.#cache.get(path) ?? (await this.#get(path, purpose));
  }

  async #get(path: string, { dest, accept = '*/*', isPrefetch, body }: Purpose): Promise<Answer> {
    const { site, address, knowsRules } = this.#options;
    const isNavigation = dest === 'document';
    const sent = request(site + path, {
      ...{ agent: this.#agent, localAddress: address, method: body === undefined ? 'GET' : 'POST' },
      headers: {
        ...(knowsRules ? chromium : firefox),
        ...{ Accept: accept, 'Sec-Fetch-Dest': dest },
        'Sec-Fetch-Site': this.#page === undefined ? 'none' : 'same-origin',
        'Sec-Fetch-Mode': isNavigation ? 'navigate' : 'no-cors',
        ...(isNavigation && !isPrefetch && { 'Sec-Fetch-User': '?1' }),
        ...(isPrefetch && { 'Sec-Purpose': 'prefetch' }),
        ...this.#referer(),
      },
    });
    sent.end(body);
    const [response] = await once(sent, 'response');
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    const { statusCode: status, headers } = response;
    const answer: Answer = { status, headers, body: text };
    // A tenth of its age, if nothing else is said (RFC 9111 4.2.2).
    const isFresh =
      headers['cache-control'] === undefined
        ? headers['last-modified'] !== undefined
        : /max-age=[1-9]/.test(headers['cache-control']);
    if (status === 200 && isFresh && body === undefined) this.#cache.set(path, answer);
    return answer;
  }

  #referer(): { Referer?: string } {
    const { site, policy } = this.#options;
    if (this.#page === undefined || policy === 'no-referrer') return {};
    return { Referer: `${site}${policy === 'origin' ? '/' : this.#page}` };
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
