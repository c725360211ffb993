// Processes the bytes of one body as they arrive: buffers them unchanged for the cache, removes the content coding,
// and looks for the size of an image in its first bytes.

import { LoaderError } from '../errors.ts';
import { ContentDecoder } from '../response/content-coding.ts';
import { ImageSizeProbe, type Size } from '../scan/image-size.ts';

export interface BodyReaderOptions {
  /** Value of the Content-Encoding field; '' if there is none. */
  contentEncoding: string;
  maxCodings: number;
  /** Whether the body is an image, whose width and height are looked for. */
  isImage: boolean;
  /** Whether to keep the bytes as received, which `encoded` returns. */
  gather: boolean;
  /** The body's first bytes, if an earlier request received them, and this one only the rest; else null. */
  prefix: Buffer | null;
  /** Whether the bytes of `prefix` are still to be added to the page's sum; false: the earlier request added them. */
  isPrefixCounted: boolean;
  /** Receives the decoded bytes in order. @param counted How many of them to add to the page's sum of body bytes */
  onDecoded: (bytes: Buffer, counted: number) => void;
  /** Called once the size of the image is known, or known to be unavailable (null). */
  onSized: (size: Size | null) => void;
}

export class BodyReader {
  /**
   * Why the body is unusable; null if it is usable. The bytes of an unusable body are read and dropped, so that its
   * connection may stay usable.
   */
  refused: LoaderError | null = null;
  readonly #options: BodyReaderOptions;
  #decoder: ContentDecoder | null = null;
  readonly #probe: ImageSizeProbe | null;
  readonly #gathered: Buffer[] | null;
  #prefix: Buffer | null;
  /** How many of the next decoded bytes an earlier request, which received `prefix`, has added to the page's sum. */
  #uncounted: number;
  #isOver = false;

  constructor(options: BodyReaderOptions) {
    this.#options = options;
    this.#probe = options.isImage ? new ImageSizeProbe() : null;
    this.#gathered = options.gather ? [] : null;
    this.#prefix = options.prefix;
    this.#uncounted = options.isPrefixCounted ? 0 : (options.prefix?.length ?? 0);
    const { contentEncoding, maxCodings } = options;
    try {
      this.#decoder = new ContentDecoder(contentEncoding, maxCodings, (bytes) =>
        this.#passOn(bytes),
      );
    } catch (error) {
      this.refused = error as LoaderError;
    }
  }

  /** Deviations from the content coding's format that were tolerated. */
  get quirks(): string[] {
    return this.#decoder?.quirks ?? [];
  }

  /** The body as received, including the prefix; null: the reader does not keep it. */
  get encoded(): Buffer | null {
    return this.#gathered === null ? null : Buffer.concat(this.#gathered);
  }

  /** Decodes the next bytes; keeps them if `gather` is set. @throws LoaderError after which no more may be written. */
  write(chunk: Buffer): undefined | Promise<void> {
    if (this.refused !== null || this.#isOver) return undefined;
    const bytes = this.#prefix === null ? chunk : Buffer.concat([this.#prefix, chunk]);
    this.#prefix = null;
    // Chunks are copied, because they are slices of a larger buffer.
    this.#gathered?.push(bytes === chunk ? Buffer.from(chunk) : bytes);
    return this.#decoder?.write(bytes)?.catch((error) => {
      if (this.#isOver) return;
      // A decompression bomb must not be drained; a body with a decoding error may be.
      if (!(error instanceof LoaderError && error.code === 'coding-broken')) throw error;
      this.refused = error;
    });
  }

  /** Resolves when all bytes are decoded; called after the last byte. Never rejects: `refused` reports the error. */
  async end(): Promise<void> {
    try {
      if (this.refused === null) await this.#decoder?.end();
    } catch (error) {
      if (!this.#isOver) this.refused ??= error as LoaderError;
    }
  }

  /** Determines the size of the image from the bytes received, because no more follow. */
  sizeUp(): void {
    if (this.#probe?.end()) this.#options.onSized(this.#probe.size);
  }

  /** Stops the reader, which then passes on no more bytes. */
  destroy(): void {
    this.#isOver = true;
    this.#decoder?.destroy();
  }

  #passOn(bytes: Buffer): void {
    if (this.#isOver) return;
    const uncounted = Math.min(this.#uncounted, bytes.length);
    this.#uncounted -= uncounted;
    this.#options.onDecoded(bytes, bytes.length - uncounted);
    if (this.#probe?.write(bytes)) this.#options.onSized(this.#probe.size);
  }
}
