// Finds the links that an HTML document excludes from following: `rel` with nofollow, ugc or sponsored, and `<meta
// name=robots content=nofollow>`. A separate pass, so that it costs nothing if it is unused.

import { decodeHTMLAttribute } from 'entities/decode';
import { Tokenizer } from 'htmlparser2';
import { CharsetDecoder, charsetParameter } from './charset.ts';
import { resolveReference } from './reference.ts';

export interface NoFollowOptions {
  /** URL of the document. */
  url: string | URL;
  contentType?: string;
  /** Called for each excluded link: absolute, without fragment. */
  onLink: (url: string) => void;
  /** Called with `name` (in lower case) and `content` of each meta that has both. */
  onMeta: (name: string, content: string) => void;
}

const wanted: Record<string, readonly string[]> = {
  a: ['rel', 'href'],
  area: ['rel', 'href'],
  base: ['href'],
  meta: ['name', 'content'],
};
const longestName = 'content'.length;
const noFollow = /(?:^|[\t\n\f\r ])(?:nofollow|ugc|sponsored)(?:$|[\t\n\f\r ])/i;
/** Characters kept for names and values that span chunks. */
const keepCharacters = 1024;
const longestValue = 16_384;

export class NoFollowScanner {
  readonly #options: NoFollowOptions;
  readonly #decoder: CharsetDecoder;
  readonly #tokenizer: Tokenizer;
  #base: URL;
  #isRebased = false;
  /** The text from absolute position `#textStart` on. */
  #text = '';
  #textStart = 0;
  #tag = '';
  #attributes: Map<string, string> | null = null;
  /** Name of the attribute being read; null: irrelevant or a duplicate. */
  #attribute: string | null = null;
  #value = '';

  /** @throws TypeError if `url` is not a URL. */
  constructor(options: NoFollowOptions) {
    this.#options = options;
    this.#base = new URL(options.url);
    this.#decoder = new CharsetDecoder(charsetParameter(options.contentType ?? ''));
    const ignore = () => {};
    this.#tokenizer = new Tokenizer(
      { decodeEntities: false },
      {
        onopentagname: (start, end) => this.#openTag(start, end),
        onattribname: (start, end) => this.#openAttribute(start, end),
        onattribdata: (start, end) => {
          if (this.#attribute === null || this.#value.length > longestValue) return;
          this.#value += this.#slice(start, end);
        },
        onattribentity: ignore,
        onattribend: () => this.#closeAttribute(),
        onopentagend: () => this.#closeTag(),
        onselfclosingtag: () => this.#closeTag(),
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

  /** The next bytes, content coding removed. */
  write(bytes: Uint8Array): void {
    this.#read(this.#decoder.write(bytes));
  }

  end(): void {
    this.#read(this.#decoder.end());
    this.#tokenizer.end();
  }

  #read(text: string): void {
    const drop = Math.max(0, this.#text.length - keepCharacters);
    this.#text = this.#text.slice(drop) + text;
    this.#textStart += drop;
    this.#tokenizer.write(text);
  }

  #slice(start: number, end: number): string {
    return this.#text.slice(Math.max(0, start - this.#textStart), end - this.#textStart);
  }

  #openTag(start: number, end: number): void {
    this.#attributes = null;
    if (end - start > 'area'.length) return;
    this.#tag = this.#slice(start, end).toLowerCase();
    if (Object.hasOwn(wanted, this.#tag)) this.#attributes = new Map();
  }

  #openAttribute(start: number, end: number): void {
    this.#attribute = null;
    if (this.#attributes === null || end - start > longestName) return;
    const name = this.#slice(start, end).toLowerCase();
    if (wanted[this.#tag]?.includes(name) && !this.#attributes.has(name)) this.#attribute = name;
  }

  #closeAttribute(): void {
    if (this.#attribute === null) return;
    this.#attributes?.set(this.#attribute, decodeHTMLAttribute(this.#value));
    this.#attribute = null;
    this.#value = '';
  }

  #closeTag(): void {
    const attributes = this.#attributes;
    this.#attributes = null;
    if (attributes === null) return;
    const href = attributes.get('href');
    if (this.#tag === 'meta') {
      const name = attributes.get('name')?.trim().toLowerCase();
      const content = attributes.get('content');
      if (name !== undefined && content !== undefined) this.#options.onMeta(name, content);
    } else if (href !== undefined && this.#tag === 'base') {
      this.#rebase(href);
    } else if (href !== undefined && noFollow.test(attributes.get('rel') ?? '')) {
      const url = resolveReference(href, this.#base, this.#decoder.charset ?? 'utf-8');
      if (url !== null) this.#options.onLink(url);
    }
  }

  #rebase(href: string): void {
    const url = this.#isRebased ? null : URL.parse(href, this.#base.href);
    this.#isRebased = true;
    if (url !== null && /^https?:$/.test(url.protocol)) this.#base = url;
  }
}
