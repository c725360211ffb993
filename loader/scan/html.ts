// Extracts references from HTML, the same in any chunking, each as soon as its tag is complete. It uses a tokenizer but
// no parser: a scanner needs no tree, and hostile nesting costs it nothing.

import { dependsOnEncoding } from './query-encoding.ts';
import { type OnReference, type Reference, resolveReference } from './reference.ts';
import { metaReferrerPolicy, type ReferrerPolicy, referrerPolicyOf } from './referrer-policy.ts';
import { contentModelOf, rawTextTags } from './tokens/content-model.ts';
import { type StartTag, Tokenizer } from './tokens/tokenizer.ts';
import { Wanted } from './tokens/wanted.ts';

const wanted = new Wanted({
  ...rawTextTags,
  noscript: [],
  img: ['src', 'crossorigin', 'referrerpolicy'],
  script: ['src', 'type', 'crossorigin', 'referrerpolicy'],
  link: ['rel', 'href', 'crossorigin', 'referrerpolicy'],
  base: ['href'],
  meta: ['name', 'content'],
});

/** Chromium's longest URL, in bytes. */
const longestUrl = 2 * 1024 * 1024;

type Attributes = StartTag['attributes'];

/** The reference as written. */
interface Found extends Omit<Reference, 'url' | 'kind'> {
  written: string;
  kind: Reference['kind'] | 'base';
}

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

  /**
   * @param base URL of the document; `<base href>` replaces it for what follows.
   * @param encoding Returns the document's encoding by name; null while unknown.
   */
  constructor(base: URL, onReference: OnReference, encoding: () => string | null) {
    this.#base = base;
    this.#onReference = onReference;
    this.#encoding = encoding;
    this.#tokenizer = new Tokenizer(
      wanted,
      { onStartTag: (tag) => this.#read(tag) },
      { longestValue: longestUrl },
    );
  }

  write(text: string): void {
    this.#tokenizer.write(text);
    if (this.#undecided.length > 0 && this.#encoding() !== null) this.#decide();
  }

  end(): void {
    this.#tokenizer.end();
    // Determining the encoding may be costly, so it is done only if something waits for it.
    if (this.#undecided.length > 0) this.#decide();
  }

  #read({ name, attributes }: StartTag): void {
    // noscript is raw text with scripting (HTML 13.2.6.4.4).
    this.#tokenizer.switchTo(name === 'noscript' ? 'rawtext' : contentModelOf(name));
    const href = attributes.get('href');
    if (name === 'base') {
      if (href !== undefined) this.#note({ written: href, kind: 'base' });
    } else if (name === 'meta') {
      if (attributes.get('name')?.toLowerCase() !== 'referrer') return;
      this.#policy = metaReferrerPolicy(attributes.get('content') ?? '') ?? this.#policy;
    } else if (name === 'link') {
      const relations = (attributes.get('rel') ?? '').toLowerCase().split(/[\t\n\f\r ]+/);
      if (href !== undefined && relations.includes('stylesheet'))
        this.#found(href, 'stylesheet', attributes);
    } else if (name === 'img' || name === 'script') {
      const source = attributes.get('src');
      const kind = name === 'img' ? 'image' : 'script';
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

  #found(written: string, kind: Reference['kind'], attributes: Attributes): void {
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
function crossOriginOf(attributes: Attributes): 'anonymous' | 'use-credentials' | null {
  const value = attributes.get('crossorigin')?.toLowerCase();
  if (value === 'use-credentials') return value;
  const isModule = attributes.get('type')?.trim().toLowerCase() === 'module';
  return value !== undefined || isModule ? 'anonymous' : null;
}
