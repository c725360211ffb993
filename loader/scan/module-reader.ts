// Reads a module script of a page, and at its end what it imports.

import type { ModuleFetch } from './html/found.ts';
import { foundInModule } from './html/scripts.ts';
import type { PageContext, Reader, ScannedResource } from './page-context.ts';
import { StreamDecoder } from './stream-decoder.ts';

/** Longer modules are not read. */
const longestModule = 8 * 1024 * 1024;

export class ModuleReader implements Reader {
  readonly #decoder = new StreamDecoder('utf-8');
  readonly #page: PageContext;
  readonly #url: URL;
  readonly #fetch: ModuleFetch;
  #source = '';

  constructor({ url, namedUrl }: ScannedResource, page: PageContext) {
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
      this.#page.tell(found, place);
    }
  }
}
