// Extracts references from HTML, the same in any chunking, each as soon as its tag is complete. It uses the
// tokenizer of htmlparser2 but not its parser, which keeps a stack of open elements and takes quadratic time on
// hostile nesting; a scanner needs no tree. The tokenizer knows the raw text elements except noscript, which is raw
// text with scripting (HTML 13.2.6.4.4): inside it the tokenizer is paused until the end tag.

import { decodeHTMLAttribute } from 'entities/decode';
import { Tokenizer } from 'htmlparser2';
import { dependsOnEncoding } from './query-encoding.ts';
import { type OnReference, type Reference, resolveReference } from './reference.ts';
import { metaReferrerPolicy, type ReferrerPolicy, referrerPolicyOf } from './referrer-policy.ts';

/** Attributes to read, by tag; all others are skipped. */
const wanted: Record<string, readonly string[]> = {
  noscript: [],
  img: ['src', 'crossorigin', 'referrerpolicy'],
  script: ['src', 'type', 'crossorigin', 'referrerpolicy'],
  link: ['rel', 'href', 'crossorigin', 'referrerpolicy'],
  base: ['href'],
  meta: ['name', 'content'],
};

/** Most tags are not in the table; comparing lengths avoids extracting their names. */
const wantedLengths = new Set(Object.keys(wanted).map((name) => name.length));

const wantedAttributeLengths = new Set(
  Object.values(wanted).flatMap((names) => names.map((name) => name.length)),
);

/** Characters kept for names that span chunks; longer names are irrelevant. */
const keepCharacters = 1024;

/** The reference as written. */
interface Found extends Omit<Reference, 'url' | 'kind'> {
  written: string;
  kind: Reference['kind'] | 'base';
}

const noscriptEnd = /<\/noscript[\t\n\f\r />]/i;

export class HtmlScanner {
  readonly #tokenizer: Tokenizer;
  readonly #onReference: OnReference;
  readonly #encoding: () => string | null;
  /** References in order, from the first one that depends on the still unknown encoding. */
  #undecided: Found[] = [];
  #base: URL;
  /** Of the last <meta name=referrer>; null: none. */
  #policy: ReferrerPolicy | null = null;
  #baseSeen = false;
  /** The text from absolute position `#textStart` on. */
  #text = '';
  #textStart = 0;
  #tag = '';
  #attributes: Map<string, string> | null = null;
  /** Name of the attribute being read; null: irrelevant or a duplicate. */
  #attribute: string | null = null;
  #value: string[] = [];
  /** Start of the content of a noscript; null outside. */
  #rawStart: number | null = null;
  /** Last characters of that content so far, which may begin its end tag. */
  #rawTail = '';

  /**
   * @param base URL of the document; `<base href>` replaces it for what follows.
   * @param encoding Returns the document's encoding by name; null while unknown.
   */
  constructor(base: URL, onReference: OnReference, encoding: () => string | null) {
    this.#base = base;
    this.#onReference = onReference;
    this.#encoding = encoding;
    const ignore = () => {};
    this.#tokenizer = new Tokenizer(
      { decodeEntities: false }, // decoded only in the few values that are kept, below
      {
        onopentagname: (start, end) => {
          if (wantedLengths.has(end - start)) this.#openTag(this.#slice(start, end));
          else this.#attributes = null;
        },
        onattribname: (start, end) => this.#openAttribute(start, end),
        onattribdata: (start, end) => {
          if (this.#attribute !== null) this.#value.push(this.#slice(start, end));
        },
        onattribentity: ignore,
        onattribend: () => this.#closeAttribute(),
        onopentagend: (end) => this.#closeTag(end),
        onselfclosingtag: (end) => this.#closeTag(end),
        onclosetag: ignore,
        oncdata: ignore,
        oncomment: ignore,
        ondeclaration: ignore,
        onend: ignore,
        onprocessinginstruction: ignore,
        ontext: ignore,
        ontextentity: ignore,
      },
    );
  }

  write(text: string): void {
    this.#scan(text);
    if (this.#undecided.length > 0 && this.#encoding() !== null) this.#decide();
  }

  #scan(text: string): void {
    let rest = this.#rawStart === null ? text : this.#afterNoscript(text);
    while (rest !== '') {
      const drop = Math.max(0, this.#text.length - keepCharacters);
      this.#text = this.#text.slice(drop) + rest;
      this.#textStart += drop;
      this.#tokenizer.write(rest);
      if (this.#rawStart === null) return;
      rest = this.#afterNoscript(this.#slice(this.#rawStart, Number.POSITIVE_INFINITY));
    }
  }

  end(): void {
    this.#tokenizer.end();
    // Determining the encoding may be costly, so it is done only if something waits for it.
    if (this.#undecided.length > 0) this.#decide();
  }

  /** The text from the end tag of the open noscript on; '' before it has arrived. */
  #afterNoscript(text: string): string {
    const raw = this.#rawTail + text;
    const end = raw.search(noscriptEnd);
    this.#rawTail = end === -1 ? raw.slice(-'</noscript'.length) : '';
    if (end === -1) return '';
    this.#rawStart = null;
    this.#text = '';
    this.#textStart = 0;
    this.#tokenizer.reset();
    return raw.slice(end);
  }

  #slice(start: number, end: number): string {
    return this.#text.slice(Math.max(0, start - this.#textStart), end - this.#textStart);
  }

  #openTag(name: string): void {
    // Only ASCII letters are converted (HTML 13.2.5.8): U+212A is not k.
    this.#tag = name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
    this.#attributes = Object.hasOwn(wanted, this.#tag) ? new Map() : null;
  }

  #openAttribute(start: number, end: number): void {
    this.#attribute = null;
    if (this.#attributes === null || !wantedAttributeLengths.has(end - start)) return;
    const name = this.#slice(start, end).toLowerCase();
    // The first of duplicate attributes counts (HTML 13.2.5.33).
    if (wanted[this.#tag]?.includes(name) && !this.#attributes.has(name)) this.#attribute = name;
  }

  #closeAttribute(): void {
    if (this.#attribute === null) return;
    // NUL becomes U+FFFD in a value (HTML 13.2.5.36).
    const value = this.#value.join('').replaceAll('\0', '\ufffd');
    this.#attributes?.set(this.#attribute, decodeHTMLAttribute(value));
    this.#attribute = null;
    this.#value = [];
  }

  #closeTag(end: number): void {
    const attributes = this.#attributes;
    this.#attributes = null;
    if (attributes === null) return;
    if (this.#tag === 'noscript') {
      this.#rawStart = end + 1;
      this.#tokenizer.pause();
      return;
    }
    const href = attributes.get('href');
    if (this.#tag === 'base') {
      if (href !== undefined) this.#note({ written: href, kind: 'base' });
    } else if (this.#tag === 'meta') {
      if (attributes.get('name')?.toLowerCase() !== 'referrer') return;
      this.#policy = metaReferrerPolicy(attributes.get('content') ?? '') ?? this.#policy;
    } else if (this.#tag === 'link') {
      const relations = (attributes.get('rel') ?? '').toLowerCase().split(/[\t\n\f\r ]+/);
      if (href !== undefined && relations.includes('stylesheet'))
        this.#found(href, 'stylesheet', attributes);
    } else {
      const source = attributes.get('src');
      const kind = this.#tag === 'img' ? 'image' : 'script';
      if (source !== undefined) this.#found(source, kind, attributes);
    }
  }

  #rebase(href: string): void {
    if (this.#baseSeen) return;
    this.#baseSeen = true;
    // In UTF-8, as in Chromium; HTML 4.2.3 uses the document's encoding.
    const url = URL.parse(href, this.#base.href);
    // data: and javascript: URLs are not a base; any other URL is, even if it cannot be fetched (HTML 4.2.3).
    if (url !== null && url.protocol !== 'data:' && url.protocol !== 'javascript:')
      this.#base = url;
  }

  #found(written: string, kind: Reference['kind'], attributes: Map<string, string>): void {
    if (written.trim() === '') return; // an empty src refers to no resource (HTML 4.8.4.3)
    const crossOrigin = crossOriginOf(attributes);
    const referrerPolicy = referrerPolicyOf(attributes.get('referrerpolicy') ?? '') ?? this.#policy;
    const found: Found = { written, kind };
    if (crossOrigin !== null) found.crossOrigin = crossOrigin;
    if (referrerPolicy !== null) found.referrerPolicy = referrerPolicy;
    this.#note(found);
  }

  #note(found: Found): void {
    const depends = dependsOnEncoding(found.written);
    const encoding = depends ? this.#encoding() : 'utf-8'; // any encoding will do if none matters
    if (encoding === null || this.#undecided.length > 0) this.#undecided.push(found);
    else this.#tell(found, encoding);
  }

  #decide(): void {
    const encoding = this.#encoding() ?? 'windows-1252';
    for (const found of this.#undecided.splice(0)) this.#tell(found, encoding);
  }

  #tell({ written, kind, ...how }: Found, encoding: string): void {
    if (kind === 'base') {
      this.#rebase(written);
      return;
    }
    const url = resolveReference(written, this.#base, encoding);
    if (url !== null) this.#onReference({ url, kind, ...how });
  }
}

/** An unknown value means anonymous (HTML 2.5.6), and so does a module without the attribute (8.1.4.2). */
function crossOriginOf(attributes: Map<string, string>): 'anonymous' | 'use-credentials' | null {
  const value = attributes.get('crossorigin')?.toLowerCase();
  if (value === 'use-credentials') return value;
  const isModule = attributes.get('type')?.trim().toLowerCase() === 'module';
  return value !== undefined || isModule ? 'anonymous' : null;
}
