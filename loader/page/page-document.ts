// The document of a page; after a redirect, the target. It sets the referrer policy and hints at next pages.

import { fieldValue, type HeaderPair } from '../../http/header-pairs.ts';
import type { Hint } from '../../prefetchd/wire/hint.ts';
import {
  defaultReferrerPolicy,
  parseReferrerPolicy,
  type ReferrerPolicy,
} from '../request/referrer.ts';
import { isRedirectStatus } from '../response/redirect.ts';
import { ContentSecurityPolicy, whyForbidden } from '../scan/html/content-security-policy.ts';
import type { Reference, Skipped } from '../scan/index.ts';
import type { Screen } from '../scan/style/environment.ts';
import type { ResponseRow } from './discovery.ts';
import { type HintingPage, hintsOf, type PageHints } from './hints-of.ts';

export interface PageDocumentContext {
  /** Origin of the URL that the caller asked to load. */
  askedOrigin: string;
  /** Returns the screen that the page is loaded for. */
  screen: () => Screen;
  /** Sends the requests made inside `work` in one batch. */
  batch: (work: () => void) => void;
  /** Called with the resources that a header section names, except those that Content-Security-Policy forbids. */
  onReferences: (references: readonly Reference[]) => void;
  /** Called with each resource that a header section names although the page's Content-Security-Policy forbids it. */
  onSkipped: (skipped: Skipped) => void;
}

export class PageDocument {
  referrerPolicy: ReferrerPolicy = defaultReferrerPolicy;
  readonly #context: PageDocumentContext;
  #resource: ResponseRow | null = null;
  /** The Content-Security-Policy of the document's response, or of its interim responses so far; null: none. */
  #policy: ContentSecurityPolicy | null = null;
  readonly #hints: Hint[] = [];
  readonly #rules: string[] = [];

  constructor(context: PageDocumentContext) {
    this.#context = context;
  }

  /** Makes this resource the document and drops the hints of the previous document. */
  become(resource: ResponseRow): void {
    this.#resource = resource;
    this.#policy = null;
    this.#hints.length = this.#rules.length = 0;
  }

  is(resource: ResponseRow): boolean {
    return resource === this.#resource;
  }

  /** URL of the document; null: nothing has been requested yet. */
  get url(): string | null {
    return this.#resource?.row.url ?? null;
  }

  /** The hints which pages the visitor may open next, from header sections; complete once the page is loaded. */
  get next(): HintingPage {
    const source = { url: this.url ?? '', askedOrigin: this.#context.askedOrigin };
    return { source, hints: this.#hints, rules: this.#rules };
  }

  /** Takes the referrer policy from the header section of the document. */
  began(resource: ResponseRow): void {
    if (!this.is(resource) || resource.row.initiator !== null) return;
    this.referrerPolicy = parseReferrerPolicy(resource.header('referrer-policy'));
  }

  /**
   * Requests the resources named in a header section, including that of an interim response (103). As in Chromium, any
   * response of the page may preload; hints on next pages are taken from the document alone.
   */
  hinted(resource: ResponseRow, headers: HeaderPair[]): void {
    const { row, status } = resource;
    if (row.purpose !== 'use' || isRedirectStatus(status)) return;
    if (this.is(resource)) this.#readPolicy(row.url, headers);
    const hints = hintsOf(headers, row.url, this.#context.screen());
    if (this.is(resource)) {
      this.#hints.push(...hints.next);
      this.#rules.push(...hints.rules);
    }
    if (this.is(resource) || row.initiator !== null) this.#preload(hints);
  }

  #readPolicy(url: string, headers: HeaderPair[]): void {
    const text = fieldValue(headers, 'content-security-policy');
    if (text === '') return;
    this.#policy = new ContentSecurityPolicy(new URL(url));
    this.#policy.add(text);
  }

  #preload({ preload }: PageHints): void {
    if (preload.length === 0) return;
    const allowed = preload.filter((reference) => {
      const forbidden = this.#policy?.forbids(reference.url, reference) ?? null;
      if (forbidden !== null)
        this.#context.onSkipped({ ...reference, why: whyForbidden(forbidden) });
      return forbidden === null;
    });
    this.#context.batch(() => this.#context.onReferences(allowed));
  }
}
