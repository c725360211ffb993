// Finds the resources of a page: the scanner reads the document, its style sheets, modules and frames as they arrive.
// References are passed on in the order in which they are to be fetched: first those that block rendering, then the
// others by the priority that a browser gives them, else in the order of the page. Each URL is followed once, up to
// `maxReferences`: a hostile page may name millions; the first reference beyond the limit gets a row, later ones are
// ignored. How the page refers to each URL is kept, since a preloaded resource is fetched as its preload says, but
// blocks rendering as the element or rule says that uses it.

import type { HeaderPair } from '../../http/header-pairs.ts';
import { htmlTypes, mediaType } from '../../http/media-type.ts';
import { type DiscoverySettings, scannerOptions } from '../discovery-options.ts';
import type { LoaderLimits } from '../options.ts';
import type { ResourceError, ResourceRecord, SkippedReference } from '../page-load.ts';
import { parseReferrerPolicy, type ReferrerPolicy, requestSite } from '../request/referrer.ts';
import { isRedirectStatus } from '../response/redirect.ts';
import {
  createScanner,
  type Reference,
  type ResourceScanner,
  type Scanner,
} from '../scan/index.ts';
import type { Naming } from '../scan/reference.ts';

export interface DiscoveryContext {
  options: DiscoverySettings;
  limits: LoaderLimits;
  /** The document of the page; after a redirect, the target. */
  document: { readonly url: string | null; is(resource: ResponseRow): boolean };
  /** Sends the requests made inside `work` in one batch. */
  batch: (work: () => void) => void;
  /** Called for each reference; may be called repeatedly for the same one. */
  onReference: (reference: Reference) => void;
}

/** Limit on the skipped references that are recorded. */
const mostSkipped = 10_000;

export class Discovery {
  readonly skipped: SkippedReference[] = [];
  readonly #context: DiscoveryContext;
  /** Returns why the URL of a reference is not fetched; null if it is fetched. @param page URL of the document. */
  readonly #refuses: (reference: Reference, page: string) => string | null;
  readonly references: References;
  #scanner: Scanner | null = null;
  readonly #readers = new Map<ResponseRow, ResourceScanner>();
  /** Chunks of resources requested together with the document, to be read if it turns out to refer to them. */
  readonly #held = new Map<ResponseRow, Uint8Array[]>();
  /** For each style sheet, module or frame (its URL), the number of references that lead from the document to it. */
  readonly #depths = new Map<string, number>();
  /**
   * URLs of scripts that at least one reference calls a module. A preload, often the first reference, does not say it.
   */
  readonly #modules = new Set<string>();
  readonly #policies = new Map<string, ReferrerPolicy>();

  constructor(context: DiscoveryContext) {
    this.#context = context;
    this.#refuses = refusalBy(context.options);
    this.references = new References(context.limits);
  }

  /** Forgets what was read of the document, as another resource is the document now. */
  forget(): void {
    this.#scanner = null;
    this.#readers.clear();
  }

  /** Whether the scanner reads the bytes of this resource, by its kind, status and media type. */
  reads(resource: ResponseRow): boolean {
    const { row, status, how } = resource;
    if (isRedirectStatus(status)) return false;
    if (this.#context.document.is(resource)) return htmlTypes.has(row.mimeType);
    if (row.purpose === 'rest' || row.purpose === 'refresh' || (status ?? 0) >= 400) return false;
    if (row.kind === 'stylesheet') return sheetTypes.has(row.mimeType);
    if (row.kind === 'document') {
      return htmlTypes.has(row.mimeType) || row.mimeType === 'image/svg+xml';
    }
    const isModule = this.#modules.has(how.url ?? row.url);
    return row.kind === 'script' && isModule && scriptType.test(row.mimeType);
  }

  /** Reads a decoded chunk, or holds it if its resource was requested ahead and the page does not refer to it yet. */
  read(resource: ResponseRow, bytes: Uint8Array): void {
    if (!this.reads(resource)) return;
    if (resource.row.purpose === 'ahead') {
      const held = this.#held.get(resource);
      if (held === undefined) this.#held.set(resource, [bytes]);
      else held.push(bytes);
      return;
    }
    const reader = this.#readerOf(resource);
    this.#context.batch(() => this.passOn(reader.write(bytes)));
  }

  /** Reads the held chunks of a resource that was requested ahead, now that the page refers to it. */
  adopted(resource: ResponseRow): void {
    const held = this.#held.get(resource) ?? [];
    this.#held.delete(resource);
    for (const bytes of held) this.read(resource, bytes);
  }

  /** Forgets what was read of a response that is requested again after a part of its body has come. */
  restarted(resource: ResponseRow): void {
    this.#held.delete(resource);
    this.#readers.delete(resource);
  }

  /** Passes on the references that are found only at the end of a response, or the next `src` of a font that failed. */
  ended(resource: ResponseRow): void {
    const reader = this.#readers.get(resource);
    this.#readers.delete(resource);
    if (reader !== undefined) this.#context.batch(() => this.passOn(reader.end()));
    const { row, how } = resource;
    if (row.kind === 'font' && row.error !== null) {
      this.passOn(this.#scanner?.failed(how.url ?? row.url) ?? []);
    }
  }

  /** Returns the referrer policy in the response of a style sheet or module; undefined: none has arrived. */
  referrerPolicyOf(initiator: string): ReferrerPolicy | undefined {
    return this.#policies.get(initiator);
  }

  /** Ends the search for references; called when all responses of the page have ended. */
  finish(): void {
    this.#scanner?.finish();
  }

  /** Passes the references of a header section or a scan to `onReference`, the most urgent first. */
  passOn(references: readonly Reference[]): void {
    const sorted = references.toSorted((a, b) => rankOf(a) - rankOf(b));
    for (const reference of sorted) {
      const why = this.#refusal(reference);
      if (why === null) this.#context.onReference(reference);
      else this.skip({ ...reference, why });
    }
  }

  /** Records a reference that is not fetched, with the reason. */
  skip({ url, kind, initiator, from, offset, why }: SkippedReference): void {
    if (this.skipped.length >= mostSkipped) return;
    this.skipped.push({ url, kind, initiator, from, offset, why });
  }

  #refusal(reference: Reference): string | null {
    const { url, initiator, kind, isModule } = reference;
    const depth = (this.#depths.get(initiator) ?? 0) + 1;
    const { maxDepth } = this.#context.limits;
    if (depth > maxDepth) return `more than ${maxDepth} sheets or modules deep`;
    const leadsOn = kind === 'stylesheet' || kind === 'document' || isModule === true;
    if (isModule === true) this.#modules.add(url);
    if (leadsOn && !this.#depths.has(url)) this.#depths.set(url, depth);
    return this.#refuses(reference, this.#context.document.url ?? url);
  }

  #readerOf(resource: ResponseRow): ResourceScanner {
    const reader = this.#readers.get(resource) ?? this.#openReader(resource);
    this.#readers.set(resource, reader);
    return reader;
  }

  #openReader(resource: ResponseRow): ResourceScanner {
    const { row, how } = resource;
    const named = how.url ?? row.url;
    const depth = this.#depths.get(named);
    if (depth !== undefined) this.#depths.set(row.url, depth);
    const said = {
      contentType: mediaType(resource.headers),
      contentSecurityPolicy: resource.header('content-security-policy'),
    };
    const scanned = { url: row.url, namedUrl: named, ...said };
    const { document } = this.#context;
    const isDocument = document.is(resource);
    if (this.#scanner === null) {
      this.#scanner = createScanner({
        ...scannerOptions(this.#context.options),
        url: document.url ?? row.url,
        ...(isDocument ? said : {}),
        onSkipped: (each) => this.skip(each),
      });
    } else if (isDocument) {
      // The scanner exists already if the document comes again, or after a preloaded style sheet: it starts over.
      this.#scanner.restart(said);
    }
    if (isDocument) return this.#scanner;
    this.#policies.set(row.url, parseReferrerPolicy(resource.header('referrer-policy')));
    if (row.kind === 'stylesheet') return this.#scanner.styleSheet(scanned);
    return row.kind === 'document' ? this.#scanner.frame(scanned) : this.#scanner.module(scanned);
  }
}

/** Media types of style sheets whose content is read, in lower case; '': the response has no Content-Type. */
const sheetTypes = new Set(['', 'text/css']);
export const scriptType = /^(?:(?:text|application)\/(?:x-)?(?:java|ecma)script|)$/;

/**
 * Selects the references that the caller wants to be fetched, by kind, by origin and by pattern. A pattern matches a
 * part of a URL; `*` stands for any characters.
 */
function refusalBy({ exclude }: DiscoverySettings) {
  const words = new Set(['cross-origin', 'cross-site', 'all-images']);
  const patterns = exclude.filter((each) => !words.has(each)).map(partsOf);
  return ({ url, kind }: Reference, page: string): string | null => {
    if (patterns.length < exclude.length) {
      const isImage = kind === 'image' || kind === 'icon';
      if (isImage && exclude.includes('all-images')) return 'an image';
      const site = requestSite(new URL(page), new URL(url));
      if (exclude.includes('cross-origin') && site !== 'same-origin') return 'on another origin';
      if (exclude.includes('cross-site') && site === 'cross-site') return 'on another site';
    }
    return patterns.some((parts) => hasParts(url, parts)) ? 'excluded' : null;
  };
}

const partsOf = (pattern: string): string[] => pattern.split('*').filter((part) => part !== '');

/** Whether the text contains the parts of a pattern (the texts between `*`) in their order; takes linear time. */
function hasParts(text: string, parts: readonly string[]): boolean {
  let at = 0;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return true;
}

/** A resource of the page with the response that the page sees: only what discovery and the document need of them. */
export interface ResponseRow {
  readonly row: ResourceRecord;
  /** How the page refers to the resource, such as by which element and with what priority. */
  readonly how: Naming;
  /** Status of the final response; null: it has not arrived. */
  readonly status: number | null;
  readonly headers: readonly HeaderPair[];
  /** Returns the value of a header field, its lines joined; '' if it is absent. */
  header(name: string): string;
}

/** A reference that is not followed, with the reason. */
export interface Refusal {
  /** The URL, truncated if it is too long. */
  shown: string;
  error: ResourceError;
}

/** The references of a page by URL: which are followed, and how the page refers to each. */
export class References {
  readonly #limits: LoaderLimits;
  readonly #urls = new Set<string>();
  readonly #byUrl = new Map<string, Naming>();
  #isFull = false;

  constructor(limits: LoaderLimits) {
    this.#limits = limits;
  }

  /**
   * Decides whether a URL is followed.
   * @returns `known`: the URL was named before or is beyond the limit; nothing is to be done.
   */
  admit(url: string): 'follow' | 'known' | Refusal {
    if (this.#isFull || this.#urls.has(url)) return 'known';
    this.#urls.add(url);
    const { maxReferences, maxUrlCharacters } = this.#limits;
    if (url.length > maxUrlCharacters) {
      const message = `a URL of ${url.length} characters, at most ${maxUrlCharacters} are fetched`;
      return { shown: `${url.slice(0, 200)}...`, error: { code: 'invalid-url', message } };
    }
    if (this.#urls.size > maxReferences) {
      this.#isFull = true;
      const message = `the page names more than ${maxReferences} resources`;
      return { shown: url, error: { code: 'too-many-references', message } };
    }
    return 'follow';
  }

  /** Records how the first reference to a URL, because of which it was requested, refers to it. */
  first(url: string, how: Naming): void {
    this.#byUrl.set(url, how);
  }

  /** Adds to the first reference to a URL what a later one says: whether it blocks rendering, its place in the page. */
  again(reference: Reference): void {
    const how = this.#byUrl.get(reference.url);
    if (how === undefined) return;
    if (reference.isBlocking) how.isBlocking = true;
    if (isShownInPlace(how) || !isShownInPlace(reference)) return;
    how.from = reference.from;
    how.offset = reference.offset;
  }
}

/** Matches the `from` of a reference, such as `img srcset`, if its element shows an image at its own position. */
const shows = /^(?:img|image|source|input|video) /;

/** Whether this is an image in the document's flow; other images, such as backgrounds, have no known position. */
export const isShownInPlace = ({ from = '' }: Naming): boolean => shows.test(from);

const ranks = { highest: 1, high: 2, medium: 3, low: 4, lowest: 5 } as const;

/** Returns the rank of a resource, from 0; resources of lower rank are requested first. */
export function rankOf({ isBlocking, priority = 'low' }: Naming): number {
  return isBlocking ? 0 : ranks[priority];
}
