// Characters of texts by id, outside the JavaScript heap: a million short-lived texts leave no garbage, and a text cut
// from a log line does not keep the line alive.
//
// A log of segments, as in log-structured file systems (Rosenblum and Ousterhout 1992): each text is appended with
// its id in front, and a deleted text leaves a hole. When a segment is full and more than a third of all bytes are
// holes, the segment with the most holes is rewritten. Short texts therefore take at most half more than their length
// plus two segments, and no call moves more than one segment.

import { growArray } from './grow-array.ts';

/** Size of a segment, unless one text fills the segment alone. */
const segmentBytes = 2 ** 16;
const leastSegmentBytes = 1024;
/** Larger texts have a segment to themselves. */
const ownSegmentBytes = segmentBytes / 2;
/** Header of a text: id, then length. */
const headBytes = 8;
/** Added to the length if characters take two bytes each. */
const wideFlag = 2 ** 30;
const none = -1;

class Segment {
  readonly bytes: Buffer;
  readonly words: Int32Array;
  /** Position where the next text is written. */
  end = 0;
  /** Bytes of live texts. */
  used = 0;

  constructor(length: number) {
    this.bytes = Buffer.from(new ArrayBuffer(length));
    this.words = new Int32Array(this.bytes.buffer);
  }
}

export class TextBytes {
  readonly #segments: Array<Segment | undefined> = [];
  #current = -1;
  #spare: Segment | undefined;
  /** For each id: segment times 2^16 plus the byte in it; -1 for a free id. */
  #places = new Float64Array(16).fill(none);
  /** Bytes of all segments, and bytes of live texts. */
  #held = 0;
  #used = 0;

  has(id: number): boolean {
    return id >= 0 && id < this.#places.length && this.#places[id] !== none;
  }

  set(id: number, text: string): void {
    if (id >= this.#places.length) {
      const { length } = this.#places;
      const places = new Float64Array(Math.max(id + 1, Math.ceil(length * 1.5)));
      this.#places = growArray(this.#places, places).fill(none, length);
    }
    const isWide = !isLatin1(text);
    const recordBytes = recordBytesOf(isWide ? 2 * text.length : text.length);
    const segment = this.#segmentFor(recordBytes);
    const at = segment.end;
    segment.words[at >> 2] = id;
    segment.words[(at >> 2) + 1] = isWide ? text.length + wideFlag : text.length;
    if (isWide) segment.bytes.write(text, at + headBytes, 'utf16le');
    else segment.bytes.write(text, at + headBytes, 'latin1');
    this.#settle(id, segment, recordBytes);
  }

  /** Delete a text, which must exist. */
  delete(id: number): void {
    const place = this.#places[id] as number;
    const index = segmentOf(place);
    const segment = this.#segments[index] as Segment;
    const bytes = recordBytesAt(segment, place - index * segmentBytes);
    this.#places[id] = none;
    segment.used -= bytes;
    this.#used -= bytes;
    if (segment.used === 0 && index !== this.#current) this.#drop(index);
  }

  /** Number of characters of a text, which must exist. */
  lengthOf(id: number): number {
    const place = this.#places[id] as number;
    const index = segmentOf(place);
    const { words } = this.#segments[index] as Segment;
    return (words[((place - index * segmentBytes) >> 2) + 1] as number) & (wideFlag - 1);
  }

  equals(id: number, text: string): boolean {
    const place = this.#places[id] as number;
    const index = segmentOf(place);
    const { bytes, words } = this.#segments[index] as Segment;
    const at = place - index * segmentBytes;
    const length = words[(at >> 2) + 1] as number;
    if (length >= wideFlag) return this.get(id) === text;
    if (length !== text.length) return false;
    const start = at + headBytes;
    for (let i = 0; i < length; i++) if (bytes[start + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  /** A text, which must exist. */
  get(id: number): string {
    const place = this.#places[id] as number;
    const index = segmentOf(place);
    const { bytes, words } = this.#segments[index] as Segment;
    const start = place - index * segmentBytes + headBytes;
    const length = words[(start >> 2) - 1] as number;
    if (length < wideFlag) return bytes.toString('latin1', start, start + length);
    return bytes.toString('utf16le', start, start + 2 * (length - wideFlag));
  }

  get typedBytes(): number {
    return this.#held + this.#places.byteLength;
  }

  /** The segment to write to next, with room for `recordBytes`. */
  #segmentFor(recordBytes: number): Segment {
    const current = this.#segments[this.#current];
    if (current && current.end + recordBytes <= current.bytes.length) return current;
    if (current?.used === 0) this.#drop(this.#current);
    const opened = this.#open(recordBytes);
    if (recordBytes > ownSegmentBytes) return opened;
    if (this.#held > 1.5 * this.#used + 2 * opened.bytes.length) this.#writeAnew(opened);
    const fits = opened.end + recordBytes <= opened.bytes.length;
    return fits ? opened : this.#open(recordBytes);
  }

  /** A segment as large as all texts together, within limits; a large text has one to itself. */
  #open(recordBytes: number): Segment {
    const usual = Math.max(recordBytes, Math.min(this.#used, segmentBytes), leastSegmentBytes);
    const length = recordBytes > ownSegmentBytes ? recordBytes : usual;
    const segment = (length === segmentBytes && this.#spare) || new Segment(length);
    if (segment === this.#spare) this.#spare = undefined;
    let index = this.#segments.indexOf(undefined);
    if (index < 0) index = this.#segments.length;
    this.#segments[index] = segment;
    this.#held += length;
    this.#current = index;
    return segment;
  }

  /** Copy the live texts of the segment with the most holes to the current one, and drop it. */
  #writeAnew(into: Segment): void {
    let least = -1;
    let leastShare = 1;
    for (const [index, segment] of this.#segments.entries()) {
      if (!segment || segment === into) continue;
      const share = segment.used / segment.bytes.length;
      if (share >= leastShare || into.end + segment.used > into.bytes.length) continue;
      least = index;
      leastShare = share;
    }
    const from = this.#segments[least];
    if (!from) return;
    for (let at = 0, next = 0; at < from.end; at = next) {
      const recordBytes = recordBytesAt(from, at);
      next = at + recordBytes;
      const id = from.words[at >> 2] as number;
      if (this.#places[id] !== least * segmentBytes + at) continue;
      from.bytes.copy(into.bytes, into.end, at, next);
      this.#used -= recordBytes;
      this.#settle(id, into, recordBytes);
    }
    this.#drop(least);
  }

  /** The record at the end of the current segment becomes that of `id`. */
  #settle(id: number, segment: Segment, recordBytes: number): void {
    this.#places[id] = this.#current * segmentBytes + segment.end;
    segment.end += recordBytes;
    segment.used += recordBytes;
    this.#used += recordBytes;
  }

  #drop(index: number): void {
    const segment = this.#segments[index] as Segment;
    this.#held -= segment.bytes.length;
    this.#segments[index] = undefined;
    if (segment.bytes.length !== segmentBytes) return;
    segment.end = 0;
    segment.used = 0;
    this.#spare = segment;
  }
}

function segmentOf(place: number): number {
  return (place / segmentBytes) | 0;
}

/** Length including the header, in whole words. */
function recordBytesOf(textBytes: number): number {
  return headBytes + ((textBytes + 3) & ~3);
}

function recordBytesAt({ words }: Segment, at: number): number {
  const length = words[(at >> 2) + 1] as number;
  return recordBytesOf(length < wideFlag ? length : 2 * (length - wideFlag));
}

function isLatin1(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0xff) return false;
  return true;
}
