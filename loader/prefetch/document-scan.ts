// Scans a prefetched document, while it arrives, for the resources that it needs from its own origin. The list of
// resources is complete after the last byte; a caller that does not trust the document yet takes the list later.

import type { Limits } from '../options.ts';
import type { ResourceKind } from '../page-load.ts';
import { ContentDecoder } from '../response/content-coding.ts';
import { createScanner, type Reference, type Scanner, type ScannerOptions } from '../scan/index.ts';
import { isResource } from '../scan/reference.ts';

export interface DocumentNeed {
  url: string;
  kind: ResourceKind;
}

export interface DocumentScanOptions {
  scanner: ScannerOptions;
  contentEncoding: string;
  limits: Limits;
  /** Called when `take` would return new resources, during `write` or later. */
  onFound: () => void;
}

/** Most decoded bytes that are scanned. */
const mostBytes = 4 * 1024 * 1024;

export class DocumentScan {
  readonly #onFound: () => void;
  readonly #scanner: Scanner;
  readonly #add: (references: readonly Reference[]) => void;
  readonly #decoder: ContentDecoder;
  readonly #known = new Set<string>();
  #found: DocumentNeed[] = [];
  #bytes = 0;
  #isOver = false;
  /** Resolves when the bytes so far have been scanned. */
  #tail: Promise<void> | undefined;

  /** @throws LoaderError `coding-unsupported`, `too-many-codings` */
  constructor({ scanner, contentEncoding, limits, onFound }: DocumentScanOptions) {
    const { origin } = new URL(scanner.url);
    this.#onFound = onFound;
    this.#decoder = new ContentDecoder(contentEncoding, limits.maxCodings, (bytes) =>
      this.#read(bytes, Math.min(limits.maxResourceBytes, mostBytes)),
    );
    this.#scanner = createScanner(scanner);
    this.#add = (references) => {
      for (const { url: need, kind } of references.filter(isResource)) {
        if (this.#known.has(need) || this.#known.size >= limits.maxReferences) continue;
        if (new URL(need).origin !== origin) continue;
        this.#known.add(need);
        this.#found.push({ url: need, kind });
      }
    };
  }

  /** Scans the next bytes as received. The caller must await a returned promise before it writes further bytes. */
  write(chunk: Buffer): undefined | Promise<void> {
    if (this.#isOver) return undefined;
    if (this.#decoder.identity) return this.#decoder.write(chunk);
    return this.#next(() => this.#decoder.write(chunk));
  }

  /** Called after the last byte. Resolves when the scan is complete. */
  async end(): Promise<void> {
    if (this.#isOver) return;
    await this.#next(() => this.#decoder.end());
    if (!this.#isOver) this.#add(this.#scanner.end());
    this.stop();
  }

  /** Resources found since the last call, in document order. */
  take(): DocumentNeed[] {
    return this.#found.splice(0);
  }

  /** Ends the scan. */
  stop(): void {
    this.#isOver = true;
    this.#decoder.destroy();
  }

  /** Runs a step after the pending ones. A decoding error ends the scan, but the document may still be usable. */
  #next(step: () => undefined | Promise<void>): Promise<void> {
    const tail = this.#tail ?? Promise.resolve();
    this.#tail = tail.then(() => (this.#isOver ? undefined : step())).catch(() => this.stop());
    return this.#tail;
  }

  #read(bytes: Buffer, most: number): void {
    if (this.#isOver) return;
    this.#bytes += bytes.length;
    if (this.#bytes > most) this.stop();
    else this.#add(this.#scanner.write(bytes));
    if (this.#found.length > 0) this.#onFound();
  }
}
