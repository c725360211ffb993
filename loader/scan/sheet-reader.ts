// Reads a style sheet of a page, as it arrives.

import { charsetParameter } from './charset.ts';
import type { CssScanner } from './css/css-scanner.ts';
import { SheetDecoder } from './css/sheet-decoder.ts';
import type { Found } from './html/found.ts';
import { foundInStyle } from './html/style.ts';
import type { PageContext, Reader, ScannedResource } from './page-context.ts';

export class SheetReader implements Reader {
  readonly #decoder: SheetDecoder;
  readonly #page: PageContext;
  readonly #sheet: CssScanner;

  constructor(
    { url, namedUrl, contentType = '' }: ScannedResource,
    page: PageContext,
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
      page.tell(found, { initiator: base.href, from, offset, base, encoding: 'utf-8' });
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

/** What a sheet imports that does not apply. */
const late: Pick<Found, 'priority' | 'isBlocking' | 'isLate'> = {
  priority: 'lowest',
  isBlocking: false,
  isLate: true,
};
