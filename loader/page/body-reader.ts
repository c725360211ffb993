// What is done with the bytes of one body as they come: they are gathered for the cache as they are, the
// content coding is taken off, and an image's first bytes are asked for its size.

import { LoaderError } from '../errors.ts';
import { ContentDecoder } from '../response/content-coding.ts';
import { ImageSizeProbe, type Size } from '../scan/image-size.ts';

export interface BodyReaderOptions {
  /** Value of Content-Encoding; '' for none. */
  contentEncoding: string;
  maxCodings: number;
  /** Look for an image's width and height. */
  isImage: boolean;
  /** Keep the bytes as they came. */
  gather: boolean;
  /** Known bytes that go before those that come; null: none. */
  prefix: Buffer | null;
  /** Those bytes count as the body's; false: they were counted where they came first. */
  isPrefixCounted: boolean;
  /** Gets the decoded bytes in order. @param counted how many of them count. */
  onDecoded: (bytes: Buffer, counted: number) => void;
  /** The image's size is known now. */
  onSized: (size: Size | null) => void;
}

export class BodyReader {
  readonly #options: BodyReaderOptions;
  #decoder: ContentDecoder | null = null;
  readonly #probe: ImageSizeProbe | null;
  readonly #gathered: Buffer[] | null;
  #prefix: Buffer | null;
  /** Decoded bytes to come that were counted before. */
  #uncounted: number;
  #refused: LoaderError | null = null;
  #isOver = false;

  constructor(options: BodyReaderOptions) {
    this.#options = options;
    this.#probe = options.isImage ? new ImageSizeProbe() : null;
    this.#gathered = options.gather ? [] : null;
    this.#prefix = options.prefix;
    this.#uncounted = options.isPrefixCounted ? 0 : (options.prefix?.length ?? 0);
    const { contentEncoding, maxCodings } = options;
    try {
      this.#decoder = new ContentDecoder(contentEncoding, maxCodings, (bytes) => this.#take(bytes));
    } catch (error) {
      this.#refused = error as LoaderError;
    }
  }

  /** The body is of no use (its connection may be: read on, keep nothing). */
  get refused(): LoaderError | null {
    return this.#refused;
  }

  /** As it came, what was known before included; null: not gathered. */
  get encoded(): Buffer | null {
    return this.#gathered === null ? null : Buffer.concat(this.#gathered);
  }

  /** @throws LoaderError what no further byte of the body may follow. */
  write(chunk: Buffer): undefined | Promise<void> {
    if (this.#refused !== null || this.#isOver) return undefined;
    const bytes = this.#prefix === null ? chunk : Buffer.concat([this.#prefix, chunk]);
    this.#prefix = null;
    // A copy: a chunk is a piece of a buffer that may hold much else.
    this.#gathered?.push(bytes === chunk ? Buffer.from(chunk) : bytes);
    return this.#decoder?.write(bytes)?.catch((error) => {
      if (this.#isOver) return;
      // A bomb must not be drained; a body that merely does not decode may be.
      if (!(error instanceof LoaderError && error.code === 'coding-broken')) throw error;
      this.#refused = error;
    });
  }

  /** The last byte was written. Never rejects: what is wrong is `refused`. */
  async end(): Promise<void> {
    try {
      if (this.#refused === null) await this.#decoder?.end();
    } catch (error) {
      if (!this.#isOver) this.#refused ??= error as LoaderError;
    }
  }

  /** Nothing more of the representation comes: what there is has to tell the size. */
  sizeUp(): void {
    if (this.#probe?.end()) this.#options.onSized(this.#probe.size);
  }

  /** Give up; nothing is handed on any more. */
  destroy(): void {
    this.#isOver = true;
    this.#decoder?.destroy();
  }

  #take(bytes: Buffer): void {
    if (this.#isOver) return;
    const uncounted = Math.min(this.#uncounted, bytes.length);
    this.#uncounted -= uncounted;
    this.#options.onDecoded(bytes, bytes.length - uncounted);
    if (this.#probe?.write(bytes)) this.#options.onSized(this.#probe.size);
  }
}
