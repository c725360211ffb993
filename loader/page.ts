// One page being loaded: the reference that a chunk yields becomes a request in the chunk's batch,
// redirects are followed, limits held, and every event lands in the PageLoad record. Loads end when
// nothing is outstanding and the connections are known to be in step.

import type { Cookies } from './cookies.ts';
import { LoaderError } from './errors.ts';
import type { LimitOptions, ResolvedOptions } from './options.ts';
import type { PageLoad, ResourceKind, ResourceRecord } from './page-load.ts';
import { PageRecorder } from './page-recorder.ts';
import { redirectTarget } from './redirect.ts';
import { defaultReferrerPolicy, parseReferrerPolicy, type ReferrerPolicy } from './referrer.ts';
import { requestHeaders } from './request-headers.ts';
import type { Resource, ResourceHost } from './resource.ts';
import type { createScanner, Scanner } from './scan/index.ts';
import { type Batch, Exchange } from './transport/exchange.ts';
import type { PageTransport } from './transport/transport.ts';

export interface LoadProgress {
  url: string;
  found: number;
  done: number;
  bodyBytes: number;
}

export interface PageContext {
  options: ResolvedOptions;
  transport: PageTransport;
  createScanner: typeof createScanner;
  cookies: Cookies;
  /** No page follows on these connections. */
  last: boolean;
  onProgress: ((progress: LoadProgress) => void) | undefined;
}

/** Lower goes first: what blocks rendering before what does not. */
const priorities: Record<ResourceKind, number> = {
  document: 0,
  stylesheet: 1,
  script: 2,
  image: 3,
  other: 4,
};

const htmlTypes = new Set(['', 'text/html', 'application/xhtml+xml']);

export class Page implements ResourceHost {
  readonly limits: LimitOptions;
  readonly #context: PageContext;
  readonly #askedOrigin: string;
  readonly #recorder: PageRecorder;
  #scanner: Scanner | null = null;
  /** The document: the page after its redirects. */
  #document: Resource | null = null;
  #referrerPolicy: ReferrerPolicy = defaultReferrerPolicy;
  readonly #requested = new Set<string>();
  #outstanding = 0;
  #bodyBytes = 0;
  #stopped: LoaderError | null = null;
  /** As many references as are followed were found. */
  #full = false;
  readonly #followed = new Map<Resource, URL>();
  #thrown: { error: unknown } | null = null;
  #idle: (() => void) | null = null;

  constructor(url: URL, context: PageContext) {
    this.limits = context.options.limits;
    this.#askedOrigin = url.origin;
    this.#context = context;
    this.#recorder = new PageRecorder(url.href, context.options.protocol);
    this.#request(url, 'document', null, 0);
  }

  /** @throws the signal's reason when it aborts first. */
  async load(signal: AbortSignal | undefined): Promise<PageLoad> {
    const { transport, last, options } = this.#context;
    const { pageMs } = options.timeouts;
    const deadline = setTimeout(
      () => this.#stop(new LoaderError('page-timeout', `the page took longer than ${pageMs} ms`)),
      pageMs,
    );
    const abort = () => this.#stop(new LoaderError('aborted', 'aborted by its signal'));
    signal?.addEventListener('abort', abort, { once: true });
    try {
      do {
        await this.#quiet();
        await transport.settle(last);
      } while (this.#outstanding > 0);
    } finally {
      transport.leave();
      clearTimeout(deadline);
      signal?.removeEventListener('abort', abort);
    }
    signal?.throwIfAborted();
    if (this.#thrown !== null) throw this.#thrown.error;
    return this.#recorder.finish();
  }

  time(at: number): number {
    return at - this.#recorder.startedAt;
  }

  storeCookie(setCookie: string, url: string): void {
    this.#context.cookies.store(setCookie, new URL(url));
  }

  sent(batch: Batch): void {
    this.#recorder.sent(batch);
  }

  responseStarted(resource: Resource): void {
    const { row } = resource;
    if (row.kind !== 'document') return;
    if (row.initiator === null && resource === this.#document) {
      this.#referrerPolicy = parseReferrerPolicy(resource.header('referrer-policy'));
    }
  }

  /** A chunk of the document, decoded: what it names leaves in one batch. */
  scan(resource: Resource, bytes: Uint8Array): void {
    if (resource !== this.#document || !htmlTypes.has(resource.row.mimeType)) return;
    if (isRedirect(resource.row)) return;
    this.#scanner ??= this.#openScanner(resource);
    this.#context.transport.batch(() => this.#scanner?.write(bytes));
  }

  bodyGrew(bytes: number): void {
    this.#bodyBytes += bytes;
    const { maxPageBytes } = this.limits;
    if (this.#bodyBytes > maxPageBytes && this.#stopped === null) {
      const message = `all bodies over limits.maxPageBytes (${maxPageBytes})`;
      // Not from inside the parser that is handing on these bytes.
      queueMicrotask(() => this.#stop(new LoaderError('page-too-large', message)));
    }
    this.#progress();
  }

  bodyTakenBack(bytes: number): void {
    this.#bodyBytes -= bytes;
  }

  /** Its response comes again from the start. */
  restarted(resource: Resource, hadEnded: boolean): void {
    if (hadEnded) this.#outstanding++;
    if (resource === this.#document) this.#scanner = null;
  }

  ended(resource: Resource, endedAt: number): void {
    const target = this.#follow(resource);
    if (target === null && resource === this.#document) this.#documentEnded(resource, endedAt);
    this.#outstanding--;
    this.#progress();
    if (this.#outstanding === 0) this.#idle?.();
  }

  #documentEnded(resource: Resource, endedAt: number): void {
    const { error } = resource.row;
    const arrived = error === null || error.code === 'http-status';
    if (arrived && this.#scanner !== null) {
      this.#context.transport.batch(() => this.#scanner?.end());
    }
    this.#context.transport.flush();
    this.#recorder.documentEnded(endedAt);
  }

  /** @returns where a redirect led; null when there is nothing to follow. */
  #follow(resource: Resource): URL | null {
    const { row } = resource;
    if (!isRedirect(row) || row.error !== null) return null;
    const { href } = this.#followed.get(resource) ?? {};
    try {
      const target = redirectTarget(
        resource.header('location'),
        row,
        this.#recorder.chain(resource),
        {
          maxRedirects: this.limits.maxRedirects,
          setsCookie: resource.header('set-cookie') !== '',
        },
      );
      if (target === null) return null;
      row.redirectUrl = target.href;
      if (target.href === href) return target; // followed already, before it was fetched again
      if (this.#stopped !== null) throw this.#stopped;
      this.#followed.set(resource, target);
      this.#request(target, row.kind, row.initiator, resource.hops + 1, resource);
      return target;
    } catch (error) {
      const { code, message } = error as LoaderError;
      row.error = { code, message };
      return null;
    }
  }

  #openScanner(resource: Resource): Scanner {
    return this.#context.createScanner({
      url: resource.row.url,
      contentType: resource.header('content-type'),
      onReference: ({ url, kind }) => this.#referenced(url, kind),
    });
  }

  #referenced(href: string, kind: ResourceKind): void {
    if (this.#stopped !== null || this.#full || this.#requested.has(href)) return;
    this.#requested.add(href);
    const { maxReferences, maxUrlCharacters } = this.limits;
    if (href.length > maxUrlCharacters) {
      const shown = `${href.slice(0, 200)}...`;
      this.#recorder.refuse(shown, kind, this.#document?.row.url ?? null, {
        code: 'invalid-url',
        message: `a URL of ${href.length} characters, over limits.maxUrlCharacters (${maxUrlCharacters})`,
      });
      return;
    }
    if (this.#requested.size > maxReferences) {
      this.#recorder.refuse(href, kind, this.#document?.row.url ?? null, {
        code: 'too-many-references',
        message: `the page names more than limits.maxReferences (${maxReferences}) resources`,
      });
      this.#full = true;
      return;
    }
    this.#request(new URL(href), kind, this.#document?.row.url ?? null, 0);
  }

  #request(
    url: URL,
    kind: ResourceKind,
    initiator: string | null,
    hops: number,
    from: Resource | null = null,
  ): Resource {
    const { options, transport, cookies } = this.#context;
    const page = initiator === null ? null : new URL(initiator);
    const headers = requestHeaders(
      {
        url,
        kind,
        page,
        askedOrigin: this.#askedOrigin,
        referrerPolicy: this.#referrerPolicy,
        cookie: cookies.header(url),
      },
      options,
    );
    const resource = this.#recorder.add(this, url, kind, initiator, hops, headers, from);
    if (kind === 'document') this.#document = resource;
    const urgent = kind === 'document' || hops > 0;
    const exchange = new Exchange(url, headers, { urgent, priority: priorities[kind] }, resource);
    resource.exchange = exchange;
    this.#outstanding++;
    transport.submit(exchange);
    this.#progress();
    return resource;
  }

  #stop(error: LoaderError): void {
    this.#stopped ??= error;
    const exchanges = this.#recorder.resources.flatMap(({ exchange }) => exchange ?? []);
    this.#context.transport.cancel(exchanges, error);
  }

  #progress(): void {
    const { onProgress } = this.#context;
    if (onProgress === undefined) return;
    const found = this.#recorder.resources.length;
    const [first] = this.#recorder.resources;
    try {
      onProgress({
        url: first?.row.url ?? '',
        found,
        done: found - this.#outstanding,
        bodyBytes: this.#bodyBytes,
      });
    } catch (error) {
      // The caller's mistake goes to the caller, not into the parser that is handing on bytes.
      this.#thrown ??= { error };
      queueMicrotask(() => this.#stop(new LoaderError('aborted', 'onProgress threw')));
    }
  }

  #quiet(): Promise<void> {
    if (this.#outstanding === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }
}

/** Redirects a GET follows by itself (RFC 9110 15.4). */
function isRedirect({ status }: ResourceRecord): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}
