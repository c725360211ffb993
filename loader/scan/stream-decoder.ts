// A TextDecoder that takes any chunks. Node's own throws, though it is not fatal, when malformed
// bytes left over from one chunk yield more characters than the next chunk has bytes
// (ERR_ENCODING_INVALID_ENCODED_DATA in gb18030, gbk, euc-jp and iso-2022-jp). It never does from a
// fresh state; so in encodings of several bytes a character each chunk is cut where none can be under
// way, behind every tag at the latest, and what is behind the cut waits for more.

import { TextDecoder } from 'node:util';

const severalBytes = new Set(['gb18030', 'gbk', 'big5', 'euc-jp', 'euc-kr', 'shift_jis']);

/** Waiting bytes are decoded wherever they end when they are this many: no real text is. */
const mostHeldBytes = 64 * 1024;

const escapeByte = 0x1b;

export class StreamDecoder {
  #decoder: TextDecoder;
  #held: Uint8Array = new Uint8Array(0);

  /** @throws RangeError for a label nobody knows. */
  constructor(label: string) {
    this.#decoder = new TextDecoder(label);
  }

  /** WHATWG name. */
  get encoding(): string {
    return this.#decoder.encoding;
  }

  write(chunk: Uint8Array): string {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const settled =
      bytes.length > mostHeldBytes ? bytes.length : settledBytes(this.encoding, bytes);
    this.#held = bytes.slice(settled);
    return this.#decode(bytes.subarray(0, settled), true);
  }

  end(): string {
    const held = this.#held;
    this.#held = new Uint8Array(0);
    return this.#decode(held, false);
  }

  #decode(bytes: Uint8Array, stream: boolean): string {
    try {
      return this.#decoder.decode(bytes, { stream });
    } catch {
      this.#decoder = new TextDecoder(this.encoding); // its state is lost
      return '\ufffd';
    }
  }
}

/** How many bytes from the start end where no character and no escape sequence is under way. */
function settledBytes(encoding: string, bytes: Uint8Array): number {
  if (encoding === 'iso-2022-jp') return settledEscapes(bytes);
  if (!severalBytes.has(encoding)) return bytes.length;
  // Below the digits and between digits and letters no byte is part of a longer character.
  return 1 + bytes.findLastIndex((byte) => byte < 0x30 || (byte > 0x39 && byte < 0x40));
}

/** ISO-2022-JP: up to the first escape to two-byte characters that is not followed by one back. */
function settledEscapes(bytes: Uint8Array): number {
  let twoBytesFrom: number | null = null;
  for (let at = bytes.indexOf(escapeByte); at !== -1; at = bytes.indexOf(escapeByte, at + 1)) {
    if (at + 2 >= bytes.length) return twoBytesFrom ?? at;
    const sequence = String.fromCharCode(bytes[at + 1] ?? 0, bytes[at + 2] ?? 0);
    if (sequence === '$@' || sequence === '$B') twoBytesFrom ??= at;
    else if (/^\([BIJ]$/.test(sequence)) twoBytesFrom = null;
  }
  return twoBytesFrom ?? bytes.length;
}
