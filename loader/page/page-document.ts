// The document of a page: what it says while it comes, in its header section and in its HTML. It names
// resources, each told the moment its tag is complete; sets the referrer policy; hints at what the client
// may want next. Each redirect makes another response the document; what one that only redirects says of
// resources counts for nothing.

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
import { openScanner } from './lazy-scanner.ts';

/** A resource the page names. */
export interface Named extends Omit<Reference, 'kind'> {
  kind: ResourceKind;
}

export interface PageDocumentContext {
  /** Origin of the URL the load was asked for. */
  askedOrigin: string;
  /** Reads what the page says of following its links; null: nobody asks. */
  followRules: FollowRules | null;
  /** What is named inside of `work` leaves together. */
  batch: (work: () => void) => void;
  /** The document, or its header section, names a resource; perhaps not for the first time. */
  onReference: (reference: Named) => void;
}

/** The row of a document, and what the page sees of its response. */
export interface DocumentRow {
  readonly row: ResourceRecord;
  /** null: no final response yet. */
  readonly status: number | null;
  readonly headers: readonly HeaderPair[];
  /** Value of a header field, lists joined; '' when it is absent. */
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
  /** Header sections that came before what reads them was loaded. */
  readonly #reading: Array<Promise<void>> = [];

  constructor(context: PageDocumentContext) {
    this.#context = context;
  }

  /** This is the document now; what another one hinted counts no more. */
  become(resource: DocumentRow): void {
    this.#resource = resource;
    this.#hints.length = this.#rules.length = 0;
  }

  is(resource: DocumentRow): boolean {
    return resource === this.#resource;
  }

  /** null: nothing was asked for yet. */
  get url(): string | null {
    return this.#resource?.row.url ?? null;
  }

  get referrerPolicy(): ReferrerPolicy {
    return this.#referrerPolicy;
  }

  /** What the client may want after this page; known when the page is loaded. */
  get next(): HintingPage {
    const { askedOrigin, followRules } = this.#context;
    const follows = (url: string) => followRules?.follows(url) ?? true;
    const source = { url: this.url ?? '', askedOrigin, follows };
    return { source, hints: this.#hints, rules: this.#rules };
  }

  /** The header section that the page sees is there. */
  began(resource: DocumentRow): void {
    if (!this.is(resource)) return;
    const { row, headers } = resource;
    if (row.initiator === null) {
      this.#referrerPolicy = parseReferrerPolicy(resource.header('referrer-policy'));
    }
    this.#context.followRules?.begin(row.url, headers, resource.header('content-type'));
  }

  /** What a header section names, even an interim one's (103), is asked for before the document names it. */
  hinted(resource: DocumentRow, headers: HeaderPair[]): void {
    if (!this.is(resource) || isRedirectStatus(resource.status) || !mayHint(headers)) return;
    const reading = hintsOf(headers, resource.row.url, (hints) => {
      if (this.is(resource)) this.#take(hints);
    });
    if (reading !== null) this.#reading.push(reading);
  }

  /** Resolves when what header sections hinted is known. */
  async read(): Promise<void> {
    await Promise.all(this.#reading.splice(0));
  }

  #take({ next, preload, rules }: PageHints): void {
    this.#hints.push(...next);
    this.#rules.push(...rules);
    if (preload.length === 0) return;
    const { batch, onReference } = this.#context;
    batch(() => {
      for (const { url, kind } of preload) onReference({ url, kind });
    });
  }

  /** A decoded piece of a body: what it names leaves in one batch. */
  scan(resource: DocumentRow, bytes: Uint8Array): void {
    if (!this.is(resource) || !htmlTypes.has(resource.row.mimeType)) return;
    if (isRedirectStatus(resource.status)) return;
    this.#scanner ??= this.#openScanner(resource);
    this.#context.followRules?.write(bytes);
    this.#context.batch(() => this.#scanner?.write(bytes));
  }

  /** Its response comes again from the start. */
  restarted(resource: DocumentRow): void {
    if (this.is(resource)) this.#scanner = null;
  }

  /** It came to its end: what stood there unfinished counts now. */
  end(): void {
    if (this.#scanner === null) return;
    this.#context.followRules?.end();
    this.#context.batch(() => this.#scanner?.end());
  }

  #openScanner(resource: DocumentRow): Scanner {
    const { onReference } = this.#context;
    return openScanner({
      url: resource.row.url,
      contentType: resource.header('content-type'),
      onReference,
    });
  }
}
