// What a prefetched document needs of its own origin, found as its bytes come. The list is ready when the last byte
// is; who may not believe it yet takes it later.

import type { LimitOptions } from '../options.ts';
import type { ResourceKind } from '../page-load.ts';
import { ContentDecoder } from '../response/content-coding.ts';
import { createScanner, type Scanner } from '../scan/index.ts';

export interface DocumentNeed {
  url: string;
  kind: ResourceKind;
}

export interface DocumentScanOptions {
  url: string;
  contentType: string;
  contentEncoding: string;
  limits: LimitOptions;
  /** There is something to take. Called inside of `write`, or after it. */
  onFound: () => void;
}

/** Decoded bytes that are looked through. */
const mostBytes = 4 * 1024 * 1024;

export class DocumentScan {
  readonly #onFound: () => void;
  readonly #scanner: Scanner;
  readonly #decoder: ContentDecoder;
  readonly #known = new Set<string>();
  #found: DocumentNeed[] = [];
  #bytes = 0;
  #isOver = false;
  /** Work on earlier bytes. */
  #tail: Promise<void> | undefined;

  /** @throws LoaderError `coding-unsupported`, `too-many-codings` */
  constructor({ url, contentType, contentEncoding, limits, onFound }: DocumentScanOptions) {
    const { origin } = new URL(url);
    this.#onFound = onFound;
    this.#decoder = new ContentDecoder(contentEncoding, limits.maxCodings, (bytes) =>
      this.#read(bytes, Math.min(limits.maxResourceBytes, mostBytes)),
    );
    this.#scanner = createScanner({
      ...{ url, contentType },
      onReference: ({ url: need, kind }) => {
        if (this.#known.has(need) || this.#known.size >= limits.maxReferences) return;
        if (new URL(need).origin !== origin) return;
        this.#known.add(need);
        this.#found.push({ url: need, kind });
      },
    });
  }

  /** The next bytes as they came. A promise holds back those behind them. */
  write(chunk: Buffer): undefined | Promise<void> {
    if (this.#isOver) return undefined;
    if (this.#decoder.identity) return this.#decoder.write(chunk);
    return this.#next(() => this.#decoder.write(chunk));
  }

  /** The last byte was written. Resolves when all is found. */
  async end(): Promise<void> {
    if (this.#isOver) return;
    await this.#next(() => this.#decoder.end());
    if (!this.#isOver) this.#scanner.end();
    this.stop();
  }

  /** What was found and not taken yet, in the order of the document. */
  take(): DocumentNeed[] {
    return this.#found.splice(0);
  }

  /** Nothing more is looked for. */
  stop(): void {
    this.#isOver = true;
    this.#decoder.destroy();
  }

  /** What cannot be decoded ends it: the document may still be of use. */
  #next(step: () => undefined | Promise<void>): Promise<void> {
    const tail = this.#tail ?? Promise.resolve();
    this.#tail = tail.then(() => (this.#isOver ? undefined : step())).catch(() => this.stop());
    return this.#tail;
  }

  #read(bytes: Buffer, most: number): void {
    if (this.#isOver) return;
    this.#bytes += bytes.length;
    if (this.#bytes > most) this.stop();
    else this.#scanner.write(bytes);
    if (this.#found.length > 0) this.#onFound();
  }
}
