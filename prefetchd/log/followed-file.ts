// One growing file, read from a start position to its current end. Copytruncate may empty and refill it at any time;
// it is then read from the start. A size below the read position reveals that; if the file has already grown past it
// again, the text before the position differs from what was read last.
//
// Invariant: the file stays open until `close`, so a renamed or deleted file is read to its end, and its inode number
// is not reused before.

import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Bytes read at a time; few, so that other work can run in between. */
const readBytes = 64 * 1024;
/** Bytes before the read position that are compared. */
const tailBytes = 128;
const newline = 0x0a;

export interface Growth {
  /** The previous content is gone; the next bytes are those at the beginning. */
  onTruncated: () => void;
  /** Receives new bytes; the buffer is reused for the next bytes. */
  onBytes: (bytes: Buffer) => void;
  /** Returns true to stop here and read the rest later. */
  isEnough: () => boolean;
}

export class FollowedFile {
  readonly #handle: FileHandle;
  readonly #buffer = Buffer.allocUnsafe(readBytes);
  #at = 0;
  /** The text before the read position, up to a limit. */
  #tail = Buffer.alloc(0);
  /** Modification time at the last look. */
  #seen: bigint | null = null;
  #size = 0;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** @throws the system's error, and EINVAL if it is not a regular file */
  static async open(path: string): Promise<FollowedFile> {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await handle.stat();
    if (!stats.isFile()) {
      await handle.close();
      throw Object.assign(new Error('it is not a regular file'), { code: 'EINVAL' });
    }
    const file = new FollowedFile(handle);
    file.#size = stats.size;
    return file;
  }

  /** Size at the last look, bytes. */
  get size(): number {
    return this.#size;
  }

  /** Read position: bytes read or skipped. */
  get at(): number {
    return this.#at;
  }

  async isSameAs(other: BigIntStats): Promise<boolean> {
    const own = await this.#handle.stat({ bigint: true });
    return own.ino === other.ino && own.dev === other.dev;
  }

  /** The first bytes, at most `most`; the read position does not change. */
  async head(most: number): Promise<Buffer> {
    const head = Buffer.alloc(Math.min(most, this.#size));
    const { bytesRead } = await this.#handle.read(head, 0, head.length, 0);
    return head.subarray(0, bytesRead);
  }

  /** Moves to the current end. @returns whether that is in the middle of a line */
  async skipToEnd(): Promise<boolean> {
    this.#at = this.#size;
    const start = Math.max(0, this.#at - tailBytes);
    const tail = Buffer.alloc(this.#at - start);
    const { bytesRead } = await this.#handle.read(tail, 0, tail.length, start);
    this.#tail = tail.subarray(0, bytesRead);
    return tail.length > 0 && tail[tail.length - 1] !== newline;
  }

  /** Reads everything new. @returns whether there was anything */
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

  /** True if the text before the read position is unchanged. */
  async #isOurs(): Promise<boolean> {
    const { length } = this.#tail;
    if (length === 0) return true;
    const there = Buffer.alloc(length);
    const { bytesRead } = await this.#handle.read(there, 0, length, this.#at - length);
    return bytesRead === length && there.equals(this.#tail);
  }
}
