// Reads the parts of a page as they arrive: documents, style sheets and module scripts.

import { CharsetDecoder } from './charset.ts';
import type { CssSheet } from './css/css-sheet.ts';
import type { ModuleFetch } from './html/found.ts';
import { HtmlScanner } from './html/html-scanner.ts';
import { foundInModule } from './html/scripts.ts';
import type { ResourceReader, ScanContext, ScannedResource } from './page-context.ts';
import { charsetParameter, SheetDecoder } from './text-decoder.ts';

/** Reads the document of a page or frame. */
export class DocumentReader implements ResourceReader {
  readonly #decoder: CharsetDecoder;
  readonly #html: HtmlScanner;
  // Whether the document is given as a string: its encoding is unknown, so queries in its URLs are encoded in UTF-8.
  #isText = false;

  constructor(url: URL, contentType: string, page: ScanContext) {
    this.#decoder = new CharsetDecoder(charsetParameter(contentType));
    this.#html = new HtmlScanner(url, page, () => (this.#isText ? 'utf-8' : this.#decoder.charset));
  }

  get charset(): string | null {
    return this.#decoder.charset;
  }

  write(chunk: Uint8Array | string): void {
    this.#isText = typeof chunk === 'string';
    this.#html.write(typeof chunk === 'string' ? chunk : this.#decoder.write(chunk));
  }

  end(): void {
    this.#html.write(this.#decoder.end());
    this.#html.end();
  }
}

/** Longest module script that is read, characters. */
const longestModule = 8 * 1024 * 1024;

/** Reads a module script of a page and, at its end, reports what it imports. */
export class ModuleReader implements ResourceReader {
  readonly #decoder = new TextDecoder();
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
    this.#source +=
      typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true });
  }

  end(): void {
    const source = this.#source + this.#decoder.decode();
    if (source.length > longestModule) return;
    const { href: initiator } = this.#url;
    for (const { offset, ...found } of foundInModule(source, this.#fetch)) {
      const place = { initiator, from: 'import', offset, base: this.#url, encoding: 'utf-8' };
      this.#page.report(found, place);
    }
  }
}

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
    this.#sheet = page.styles.sheet((found) => {
      const { named: from, offset } = found;
      page.report(found, { initiator: base.href, from, offset, base, encoding: 'utf-8' });
    }, place);
  }

  write(chunk: Uint8Array | string): void {
    this.#sheet.write(typeof chunk === 'string' ? chunk : this.#decoder.write(chunk));
  }

  end(): void {
    this.#sheet.write(this.#decoder.end());
    this.#sheet.end();
    this.#page.styles.update();
  }
}
