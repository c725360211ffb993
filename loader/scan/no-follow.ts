// Finds the links that an HTML document excludes from following: `rel` with nofollow, ugc or sponsored, and `<meta
// name=robots content=nofollow>`. A separate pass, so that it costs nothing if it is unused.

import { CharsetDecoder, charsetParameter } from './charset.ts';
import { resolveReference } from './reference.ts';
import { contentModelOf } from './tokens/content-model.ts';
import { type StartTag, Tokenizer } from './tokens/tokenizer.ts';

export interface NoFollowOptions {
  /** URL of the document. */
  url: string | URL;
  contentType?: string;
  /** Called for each excluded link: absolute, without fragment. */
  onLink: (url: string) => void;
  /** Called with `name` (in lower case) and `content` of each meta that has both. */
  onMeta: (name: string, content: string) => void;
}

const attributes = new Set(['rel', 'href', 'name', 'content']);
const noFollow = /(?:^|[\t\n\f\r ])(?:nofollow|ugc|sponsored)(?:$|[\t\n\f\r ])/i;
/** In characters; a longer URL is no link. */
const longestValue = 16_384;

export class NoFollowScanner {
  readonly #options: NoFollowOptions;
  readonly #decoder: CharsetDecoder;
  readonly #tokenizer: Tokenizer;
  #base: URL;
  #isRebased = false;

  /** @throws TypeError if `url` is not a URL. */
  constructor(options: NoFollowOptions) {
    this.#options = options;
    this.#base = new URL(options.url);
    this.#decoder = new CharsetDecoder(charsetParameter(options.contentType ?? ''));
    this.#tokenizer = new Tokenizer(
      { onStartTag: (tag) => this.#readTag(tag) },
      { attributes, longestValue },
    );
  }

  /** The next bytes, content coding removed. */
  write(bytes: Uint8Array): void {
    this.#tokenizer.write(this.#decoder.write(bytes));
  }

  end(): void {
    this.#tokenizer.write(this.#decoder.end());
    this.#tokenizer.end();
  }

  #readTag({ name, attributes }: StartTag): void {
    this.#tokenizer.switchTo(contentModelOf(name));
    const href = attributes.get('href');
    if (name === 'meta') {
      const said = attributes.get('name')?.trim().toLowerCase();
      const content = attributes.get('content');
      if (said !== undefined && content !== undefined) this.#options.onMeta(said, content);
    } else if (href !== undefined && name === 'base') {
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
