// A TextDecoder that accepts any chunking. Node's own decoder throws, even if it is not fatal, when malformed bytes of
// one chunk yield more characters than the next chunk has bytes (ERR_ENCODING_INVALID_ENCODED_DATA in gb18030, gbk,
// euc-jp and iso-2022-jp), but never from a fresh state. In multi-byte encodings each chunk is therefore cut where no
// character can be incomplete, at the latest after every tag, and the rest waits for more bytes.

import { TextDecoder } from 'node:util';

const severalBytes = new Set(['gb18030', 'gbk', 'big5', 'euc-jp', 'euc-kr', 'shift_jis']);

/** Number of waiting bytes at which they are decoded in any case; real text has fewer. */
const mostHeldBytes = 64 * 1024;

const escapeByte = 0x1b;

export class StreamDecoder {
  #decoder: TextDecoder;
  #held: Uint8Array = new Uint8Array(0);

  /** @throws RangeError for an unknown label. */
  constructor(label: string) {
    this.#decoder = new TextDecoder(label);
  }

  /** WHATWG name of the encoding. */
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
      this.#decoder = new TextDecoder(this.encoding); // the state of the old one is lost
      return '\ufffd';
    }
  }
}

/** Length of the prefix that ends outside any character or escape sequence. */
function settledBytes(encoding: string, bytes: Uint8Array): number {
  if (encoding === 'iso-2022-jp') return settledEscapes(bytes);
  if (!severalBytes.has(encoding)) return bytes.length;
  // Bytes below the digits, and between digits and letters, never belong to a multi-byte character.
  return 1 + bytes.findLastIndex((byte) => byte < 0x30 || (byte > 0x39 && byte < 0x40));
}

/** ISO-2022-JP: length up to the first escape to two-byte characters that is not followed by one back. */
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

/** null: there is no label, or it is unknown and ignored. */
export function decoderFor(label: string | null): StreamDecoder | null {
  if (label === null) return null;
  try {
    return new StreamDecoder(label);
  } catch {
    return null;
  }
}

/** The encoding that a byte order mark states; null: there is none. */
export function byteOrderMark(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return null;
}
