// Scans a page, and the style sheets and modules it names, for its resources while they pass through.

import { ContentDecoder } from '../../loader/response/content-coding.ts';
import type { ResourceScanner, Scanner } from '../../loader/scan/index.ts';
import type { Reference } from '../../loader/scan/reference.ts';
import type { Wanted, WantedQueue } from './wanted.ts';
import { wantedOf } from './wanted.ts';

/** Most decoded bytes that are read of one document or style sheet. */
const mostBytes = 8 * 1024 * 1024;

export interface Copy {
  write(chunk: Buffer): Promise<void>;
  end(): Promise<void>;
  /** True if something could not be decoded, so that the list of resources may be incomplete. */
  readonly isUnread: boolean;
}

export class PageReader {
  readonly #scanner: Scanner;
  readonly #origin: string;
  readonly #queue: WantedQueue;

  private constructor(scanner: Scanner, origin: string, queue: WantedQueue) {
    this.#scanner = scanner;
    this.#origin = origin;
    this.#queue = queue;
  }

  /** The scanner is loaded for the first page that is asked for with Get-All. */
  static async open(url: URL, contentType: string, queue: WantedQueue): Promise<PageReader> {
    const { createScanner } = await import('../../loader/scan/index.ts');
    return new PageReader(createScanner({ url, contentType }), url.origin, queue);
  }

  document(coding: string): Copy {
    return copyTo(this.#scanner, coding, this.#take);
  }

  /** @returns null for a part of a kind that names no other resources */
  part({ target, kind }: Wanted, contentType: string, coding: string): Copy | null {
    const resource = { url: this.#origin + target, contentType };
    if (kind === 'stylesheet') {
      return copyTo(this.#scanner.styleSheet(resource), coding, this.#take);
    }
    return kind === 'module' ? copyTo(this.#scanner.module(resource), coding, this.#take) : null;
  }

  #take = (references: readonly Reference[]): void => {
    for (const each of references) this.#queue.add(wantedOf(each, this.#origin));
  };
}

/** A copy that cannot be decoded is read no further: then the page has fewer parts. */
function copyTo(
  scanner: ResourceScanner,
  coding: string,
  take: (references: readonly Reference[]) => void,
): Copy {
  let left = mostBytes;
  let decoder: ContentDecoder | null = null;
  let isUnread = false;
  const scan = (bytes: Buffer) => {
    if (left <= 0) return;
    left -= bytes.length;
    take(scanner.write(bytes));
  };
  const quietly = async (work: (decoder: ContentDecoder) => unknown) => {
    if (decoder === null) return;
    try {
      await work(decoder);
    } catch {
      decoder?.destroy();
      decoder = null;
      isUnread = true;
    }
  };
  try {
    decoder = new ContentDecoder(coding, 1, scan);
  } catch {
    // The coding is unknown.
    isUnread = true;
  }
  return {
    write: (chunk) => quietly((each) => each.write(chunk)),
    async end() {
      await quietly((each) => each.end());
      take(scanner.end());
    },
    get isUnread() {
      return isUnread;
    },
  };
}
