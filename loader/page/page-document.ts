// The document of a page: its header section and HTML, read as they arrive. It reports references as soon as their
// tag is complete, sets the referrer policy, and collects hints on next pages. After a redirect the new response is
// the document; the references of the redirecting response are ignored.

import type { HeaderPair } from '../../http/header-pairs.ts';
import type { Hint } from '../../prefetchd/wire/index.ts';
import type { ResourceKind, ResourceRecord } from '../page-load.ts';
import type { FollowRules } from '../prefetch/follow-rules.ts';
import type { PageHints } from '../prefetch/hints-of.ts';
import { hintsOf, mayHint } from '../prefetch/lazy-hints.ts';
import type { HintingPage } from '../prefetch/prefetcher.ts';
import {
  defaultReferrerPolicy,
  parseReferrerPolicy,
  type ReferrerPolicy,
} from '../request/referrer.ts';
import { isRedirectStatus } from '../response/redirect.ts';
import type { Reference, Scanner } from '../scan/index.ts';
import { type FetchSettings, fetchSettingsOf } from '../scan/reference.ts';
import { openScanner } from './lazy-scanner.ts';

/** A resource that the page refers to. */
export interface Named extends FetchSettings {
  url: string;
  kind: ResourceKind;
}

export interface PageDocumentContext {
  /** Origin of the URL that the caller asked to load. */
  askedOrigin: string;
  /** Reads the page's rules on following its links; null: the rules are ignored. */
  followRules: FollowRules | null;
  /** Sends the requests made inside `work` in one batch. */
  batch: (work: () => void) => void;
  /** The document or its header section refers to a resource, possibly repeatedly. */
  onReference: (reference: Named) => void;
}

/** The row of a document and the response that the page sees. */
export interface DocumentRow {
  readonly row: ResourceRecord;
  /** null: no final response yet. */
  readonly status: number | null;
  readonly headers: readonly HeaderPair[];
  /** Value of a header field, lines joined; '' if it is absent. */
  header(name: string): string;
}

const htmlTypes = new Set(['', 'text/html', 'application/xhtml+xml']);

export class PageDocument {
  readonly #context: PageDocumentContext;
  #resource: DocumentRow | null = null;
  #scanner: Scanner | null = null;
  #referrerPolicy = defaultReferrerPolicy;
  readonly #hints: Hint[] = [];
  readonly #rules: string[] = [];
  /** Pending reads of header sections that arrived before the hints module was loaded. */
  readonly #reading: Array<Promise<void>> = [];

  constructor(context: PageDocumentContext) {
    this.#context = context;
  }

  /** Makes this resource the document and drops the hints of the previous one. */
  become(resource: DocumentRow): void {
    this.#resource = resource;
    this.#hints.length = this.#rules.length = 0;
  }

  is(resource: DocumentRow): boolean {
    return resource === this.#resource;
  }

  /** null: nothing has been requested yet. */
  get url(): string | null {
    return this.#resource?.row.url ?? null;
  }

  get referrerPolicy(): ReferrerPolicy {
    return this.#referrerPolicy;
  }

  /** Hints on the pages after this one; complete once the page is loaded. */
  get next(): HintingPage {
    const { askedOrigin, followRules } = this.#context;
    const follows = (url: string) => followRules?.follows(url) ?? true;
    const source = { url: this.url ?? '', askedOrigin, follows };
    return { source, hints: this.#hints, rules: this.#rules };
  }

  /** The header section that the page sees has arrived. */
  began(resource: DocumentRow): void {
    if (!this.is(resource)) return;
    const { row, headers } = resource;
    if (row.initiator === null) {
      this.#referrerPolicy = parseReferrerPolicy(resource.header('referrer-policy'));
    }
    this.#context.followRules?.begin(row.url, headers, resource.header('content-type'));
  }

  /** Requests the resources named in a header section, including an interim one (103). */
  hinted(resource: DocumentRow, headers: HeaderPair[]): void {
    if (!this.is(resource) || isRedirectStatus(resource.status) || !mayHint(headers)) return;
    const reading = hintsOf(headers, resource.row.url, (hints) => {
      if (this.is(resource)) this.#take(hints);
    });
    if (reading !== null) this.#reading.push(reading);
  }

  /** Resolves when all header sections have been read. */
  async read(): Promise<void> {
    await Promise.all(this.#reading.splice(0));
  }

  #take({ next, preload, rules }: PageHints): void {
    this.#hints.push(...next);
    this.#rules.push(...rules);
    if (preload.length === 0) return;
    this.#context.batch(() => this.#tell(preload));
  }

  /** Scans a decoded chunk of HTML; its references are sent in one batch. */
  scan(resource: DocumentRow, bytes: Uint8Array): void {
    if (!this.is(resource) || !htmlTypes.has(resource.row.mimeType)) return;
    if (isRedirectStatus(resource.status)) return;
    this.#scanner ??= this.#openScanner(resource);
    this.#context.followRules?.write(bytes);
    const scanner = this.#scanner;
    this.#context.batch(() => this.#tell(scanner.write(bytes)));
  }

  /** The response starts over. */
  restarted(resource: DocumentRow): void {
    if (this.is(resource)) this.#scanner = null;
  }

  /** The document ended; incomplete constructs at its end are now processed. */
  end(): void {
    const scanner = this.#scanner;
    if (scanner === null) return;
    this.#context.followRules?.end();
    this.#context.batch(() => this.#tell(scanner.end()));
  }

  #openScanner(resource: DocumentRow): Scanner {
    return openScanner({ url: resource.row.url, contentType: resource.header('content-type') });
  }

  #tell(references: readonly Reference[]): void {
    for (const reference of references) {
      const { url, kind } = reference;
      this.#context.onReference({ url, kind, ...fetchSettingsOf(reference) });
    }
  }
}
