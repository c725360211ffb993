// One file that grows, from where reading began to what was written last. It may be cut to nothing and
// filled again under our hands (copytruncate): then what it has is read from its start. A size below our
// place tells that; and where the file has grown past our place again meanwhile, so does its text, which
// is no longer the one that was read last.
//
// Invariant: the file is held open until this is closed, so a renamed or deleted one is read to its end,
// and no other file gets its number before.

import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Small, so that other work comes to its turn between two. */
const readBytes = 64 * 1024;
/** So much of what was read last is compared. */
const tailBytes = 128;
const newline = 0x0a;

export interface Growth {
  /** What was there is gone; what follows is from the start. */
  onTruncated: () => void;
  /** The bytes are overwritten by the next ones. */
  onBytes: (bytes: Buffer) => void;
  /** True: stop here, the rest is for another time. */
  isEnough: () => boolean;
}

export class FollowedFile {
  readonly #handle: FileHandle;
  readonly #buffer = Buffer.allocUnsafe(readBytes);
  #at = 0;
  /** What stands before our place, up to a bound. */
  #tail = Buffer.alloc(0);
  /** When the file was changed last, as far as it was looked at. */
  #seen: bigint | null = null;
  #size = 0;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** @throws the system's error; what is no regular file is refused with EINVAL */
  static async open(path: string): Promise<FollowedFile> {
    // A pipe would wait for its writer.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await handle.stat();
    if (!stats.isFile()) {
      await handle.close();
      throw Object.assign(new Error('it is no regular file'), { code: 'EINVAL' });
    }
    const file = new FollowedFile(handle);
    file.#size = stats.size;
    return file;
  }

  /** Bytes it has, as far as it was looked at. */
  get size(): number {
    return this.#size;
  }

  /** Bytes that were read or skipped. */
  get at(): number {
    return this.#at;
  }

  async isSameAs(other: BigIntStats): Promise<boolean> {
    const own = await this.#handle.stat({ bigint: true });
    return own.ino === other.ino && own.dev === other.dev;
  }

  /** The first bytes, at most so many; our place stays. */
  async head(most: number): Promise<Buffer> {
    const head = Buffer.alloc(Math.min(most, this.#size));
    const { bytesRead } = await this.#handle.read(head, 0, head.length, 0);
    return head.subarray(0, bytesRead);
  }

  /** Go to the end as it is now. @returns whether that is in the middle of a line */
  async skipToEnd(): Promise<boolean> {
    this.#at = this.#size;
    const start = Math.max(0, this.#at - tailBytes);
    const tail = Buffer.alloc(this.#at - start);
    const { bytesRead } = await this.#handle.read(tail, 0, tail.length, start);
    this.#tail = tail.subarray(0, bytesRead);
    return tail.length > 0 && tail[tail.length - 1] !== newline;
  }

  /** Everything that is new. @returns whether there was something */
  async advance({ onTruncated, onBytes, isEnough }: Growth): Promise<boolean> {
    const { size, mtimeNs } = await this.#handle.stat({ bigint: true });
    this.#size = Number(size);
    if (mtimeNs === this.#seen && this.#size === this.#at) return false;
    if (this.#size < this.#at || !(await this.#isOurs())) {
      this.#at = 0;
      this.#tail = Buffer.alloc(0);
      onTruncated();
    }
    let hasGrown = false;
    while (!isEnough()) {
      const { bytesRead } = await this.#handle.read(this.#buffer, 0, readBytes, this.#at);
      if (bytesRead === 0) {
        this.#seen = mtimeNs;
        break;
      }
      const bytes = this.#buffer.subarray(0, bytesRead);
      this.#at += bytesRead;
      this.#tail = Buffer.from(Buffer.concat([this.#tail, bytes]).subarray(-tailBytes));
      onBytes(bytes);
      hasGrown = true;
    }
    return hasGrown;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  /** The text before our place is still the one that was read. */
  async #isOurs(): Promise<boolean> {
    const { length } = this.#tail;
    if (length === 0) return true;
    const there = Buffer.alloc(length);
    const { bytesRead } = await this.#handle.read(there, 0, length, this.#at - length);
    return bytesRead === length && there.equals(this.#tail);
  }
}
