// The robots.txt of each origin, fetched once (RFC 9309 2.3). A file is obeyed for a day. Without a file everything
// is allowed; if it cannot be fetched or the server fails, nothing is.

import { LRUCache } from 'lru-cache';
import { fieldLines, fieldValue, type HeaderPair } from '../../http/header-pairs.ts';
import { LoaderError } from '../errors.ts';
import type { LimitOptions } from '../options.ts';
import { decodeWhole } from '../response/content-coding.ts';
import { parseLocation } from '../response/redirect.ts';
import { Exchange, type ResponseHead } from '../transport/exchange.ts';
import type { PageTransport, Transport } from '../transport/transport.ts';
import {
  allowsAll,
  allowsNothing,
  parseRobots,
  productToken,
  type RobotsRules,
} from './robots-rules.ts';

const mostBytes = 512 * 1024;
/** RFC 9309 2.3.1.2 requires at least 5. */
const mostRedirects = 5;
const mostOrigins = 100;
/** At most a day (RFC 9309 2.4). */
const obeyedMs = 24 * 60 * 60 * 1000;
const retryMs = 5 * 60 * 1000;

export interface RobotsContext {
  transport: Transport;
  userAgent: string;
  limits: LimitOptions;
  /** Called when rules become known. */
  onKnown: () => void;
}

export class RobotsFiles {
  readonly #context: RobotsContext;
  readonly #token: string;
  readonly #known = new LRUCache<string, RobotsRules>({ max: mostOrigins, ttl: obeyedMs });
  readonly #asking = new Set<string>();

  constructor(context: RobotsContext) {
    this.#context = context;
    this.#token = productToken(context.userAgent);
  }

  get isAsking(): boolean {
    return this.#asking.size > 0;
  }

  /** Whether the URL may be fetched; null: not known yet, `onKnown` will be called. */
  allows(url: string): boolean | null {
    const { origin, pathname, search } = new URL(url);
    const rules = this.#known.get(origin);
    if (rules !== undefined) return rules.allows(pathname + search);
    if (!this.#asking.has(origin)) this.#ask(origin);
    return null;
  }

  async #ask(origin: string): Promise<void> {
    this.#asking.add(origin);
    const { transport, onKnown } = this.#context;
    const session = transport.beginPage();
    let rules: RobotsRules | null = null;
    try {
      rules = await this.#fetched(new URL('/robots.txt', origin), session);
    } catch {
      // Unreachable, or an invalid redirect.
    } finally {
      session.leave();
    }
    this.#known.set(origin, rules ?? allowsNothing, { ttl: rules === null ? retryMs : obeyedMs });
    this.#asking.delete(origin);
    onKnown();
  }

  /** @returns null if it cannot be fetched. */
  async #fetched(first: URL, session: PageTransport): Promise<RobotsRules | null> {
    let url = first;
    for (let hops = 0; hops <= mostRedirects; hops++) {
      const { status, headers, body } = await this.#response(url, session);
      if (status >= 300 && status < 400) {
        const [location = ''] = fieldLines(headers, 'location');
        const next = parseLocation(location, { url: url.href, status });
        // Someone who can modify cleartext could lift every rule.
        if (url.protocol === 'https:' && next.protocol !== 'https:') return null;
        url = next;
      } else if (status >= 200 && status < 300) {
        const limits = { ...this.#context.limits, maxResourceBytes: mostBytes };
        const text = decodeWhole(fieldValue(headers, 'content-encoding'), body, limits);
        return text === null ? null : parseRobots(wholeLines(text), this.#token);
      } else {
        // 429 counts as a server failure.
        return status >= 400 && status < 500 && status !== 429 ? allowsAll : null;
      }
    }
    return null;
  }

  /** @throws LoaderError */
  #response(
    url: URL,
    session: PageTransport,
  ): Promise<{ status: number; headers: HeaderPair[]; body: Buffer }> {
    const { userAgent } = this.#context;
    const { promise, resolve, reject } = Promise.withResolvers<{
      status: number;
      headers: HeaderPair[];
      body: Buffer;
    }>();
    let head: ResponseHead | null = null;
    let chunks: Buffer[] = [];
    let bytes = 0;
    const finish = (): void => {
      const { status = 0, headers = [] } = head ?? {};
      resolve({ status, headers, body: Buffer.concat(chunks).subarray(0, mostBytes) });
    };
    const handler = {
      onHeaders(came: ResponseHead): void {
        head = came;
      },
      onData(chunk: Buffer): void {
        bytes += chunk.length;
        if (bytes - chunk.length < mostBytes) chunks.push(Buffer.from(chunk));
        if (bytes < mostBytes) return;
        finish();
        const enough = new LoaderError('aborted', 'robots.txt: enough was read');
        queueMicrotask(() => session.cancel([exchange], enough));
      },
      onEnd: finish,
      onRestart(): void {
        head = null;
        chunks = [];
        bytes = 0;
      },
      onError: (error: LoaderError) => reject(error),
    };
    const fields = userAgent === '' ? [] : ['user-agent', userAgent];
    const exchange = new Exchange(url, fields, { urgent: true, priority: 0 }, handler);
    session.submit(exchange);
    return promise;
  }
}

/** A truncated file may end within a rule, so the last line is dropped. */
function wholeLines(bytes: Buffer): string {
  const text = bytes.toString();
  return bytes.length < mostBytes ? text : text.slice(0, text.lastIndexOf('\n') + 1);
}
