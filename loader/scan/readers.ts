// Reads the parts of a page as they arrive: documents, style sheets and module scripts.

import { ByteOffsets } from './byte-offsets.ts';
import { CharsetDecoder, charsetParameter } from './charset.ts';
import type { CssSheet } from './css/css-sheet.ts';
import { SheetDecoder } from './css/sheet-decoder.ts';
import type { Found, ModuleFetch } from './html/found.ts';
import { HtmlScanner } from './html/html-scanner.ts';
import { foundInModule } from './html/scripts.ts';
import { foundInStyle } from './html/style.ts';
import type { ResourceReader, ScanContext, ScannedResource } from './page-context.ts';
import { StreamDecoder } from './stream-decoder.ts';

/** Reads the document of a page or frame. */
export class DocumentReader implements ResourceReader {
  readonly #decoder: CharsetDecoder;
  readonly #html: HtmlScanner;
  // Text has been decoded already, and its original encoding is unknown.
  #isText = false;
  /** The first half of a surrogate pair at the end of a text. */
  #half = '';
  readonly #offsets = new ByteOffsets();

  constructor(url: URL, contentType: string, page: ScanContext) {
    this.#decoder = new CharsetDecoder(charsetParameter(contentType));
    this.#html = new HtmlScanner(url, page, {
      encoding: () => (this.#isText ? 'utf-8' : this.charset),
      byteOffset: (offset) => this.#offsets.at(offset),
    });
  }

  get charset(): string | null {
    return this.#decoder.charset;
  }

  write(chunk: Uint8Array | string): void {
    this.#isText = typeof chunk === 'string';
    this.#html.write(typeof chunk === 'string' ? this.#counted(chunk) : this.#decoded(chunk));
  }

  /** Counts text in bytes, as if it were in UTF-8. */
  #counted(text: string): string {
    const whole = this.#half + text;
    // The other half of the surrogate pair is in the next chunk.
    this.#half = /[\ud800-\udbff]$/.exec(whole)?.[0] ?? '';
    this.#offsets.add(Buffer.from(whole.slice(0, whole.length - this.#half.length)), text);
    return text;
  }

  #decoded(chunk: Uint8Array): string {
    const text = this.#decoder.write(chunk);
    this.#offsets.add(chunk, text);
    return text;
  }

  end(): void {
    const rest = this.#decoder.end();
    this.#offsets.add(new Uint8Array(0), rest);
    this.#html.write(rest);
    this.#html.end();
  }
}

/** Longest module that is read, characters. */
const longestModule = 8 * 1024 * 1024;

/** Reads a module script of a page and, at its end, reports what it imports. */
export class ModuleReader implements ResourceReader {
  readonly #decoder = new StreamDecoder('utf-8');
  readonly #page: ScanContext;
  readonly #url: URL;
  readonly #fetch: ModuleFetch;
  #source = '';

  constructor({ url, namedUrl }: ScannedResource, page: ScanContext) {
    this.#page = page;
    this.#url = new URL(url);
    this.#fetch = page.moduleAt(namedUrl ?? this.#url.href);
  }

  write(chunk: Uint8Array | string): void {
    if (this.#source.length > longestModule) return;
    this.#source += typeof chunk === 'string' ? chunk : this.#decoder.write(chunk);
  }

  end(): void {
    const source = this.#source + this.#decoder.end();
    if (source.length > longestModule) return;
    const { href: initiator } = this.#url;
    for (const { offset, ...found } of foundInModule(source, this.#fetch)) {
      const place = { initiator, from: 'import', offset, base: this.#url, encoding: 'utf-8' };
      this.#page.report(found, place);
    }
  }
}

/** Reads a style sheet of a page. */
export class SheetReader implements ResourceReader {
  readonly #decoder: SheetDecoder;
  readonly #page: ScanContext;
  readonly #sheet: CssSheet;

  constructor(
    { url, namedUrl, contentType = '' }: ScannedResource,
    page: ScanContext,
    encoding: string,
  ) {
    const base = new URL(url);
    const place = page.sheets.of(namedUrl ?? base.href);
    this.#decoder = new SheetDecoder(charsetParameter(contentType), encoding);
    this.#page = page;
    this.#sheet = page.styles.sheet((item) => {
      const found = foundInStyle(item);
      if (!place.applies && found.kind === 'stylesheet') Object.assign(found, late);
      const { offset } = item;
      const { named: from } = found;
      page.report(found, { initiator: base.href, from, offset, base, encoding: 'utf-8' });
    }, place);
  }

  write(chunk: Uint8Array | string): void {
    this.#sheet.write(typeof chunk === 'string' ? chunk : this.#decoder.write(chunk));
  }

  end(): void {
    this.#sheet.write(this.#decoder.end());
    this.#sheet.end();
    this.#page.update();
  }
}

/** Properties of what is imported by a sheet that does not apply. */
const late: Pick<Found, 'priority' | 'isBlocking' | 'isLate'> = {
  priority: 'lowest',
  isBlocking: false,
  isLate: true,
};
