// A body that is asked for in ranges, so that never more than one small part of it is on its way (RFC 9110 14):
// what the server and the line have in their queues nobody calls back when a page begins. Parts are put together
// only when they are of one representation for sure: each comes under the strong validator of the first, with its
// length and coding, and begins just behind the one before (RFC 9110 15.3.7.3, RFC 9111 3.4).

import { fieldValue, type HeaderPair } from '../../http/header-pairs.ts';
import type { StoredRange } from '../cache/entry.ts';
import { ifRangeOf } from '../cache/policy/if-range.ts';
import { wholeFields } from '../cache/policy/ranges.ts';
import type { ByteRange } from '../request/request-plan.ts';
import { verdictOn } from '../response/verdict.ts';
import type { ResponseHead } from '../transport/exchange.ts';

/** What the first part told about the whole. */
interface Whole {
  total: number;
  /** null: nothing names these very bytes, so no other part may follow. */
  ifRange: string | null;
  coding: string;
}

export class Parts {
  #whole: Whole | null = null;
  #asked: ByteRange = { first: 0, last: null };
  /** The part that is coming, and how much of it came; null: its header section did not. */
  #coming: (StoredRange & { bytes: number }) | null = null;
  #have = 0;

  /** Bytes of the parts that are there; the next one begins behind them. */
  get have(): number {
    return this.#have;
  }

  /** A part came, or is coming; else a whole response may be. */
  get isBegun(): boolean {
    return this.#whole !== null;
  }

  /** What is coming is a part, and nothing may be put behind it: all of it is to be asked for. */
  get isAlone(): boolean {
    if (this.#whole === null || this.#whole.ifRange !== null) return false;
    return this.#coming !== null && this.#coming.last + 1 < this.#whole.total;
  }

  get isWhole(): boolean {
    return this.#whole?.total === this.#have;
  }

  /** Fields of the next request. @param bytes how many to ask for; null: all that is missing. */
  ask(bytes: number | null): HeaderPair[] {
    const first = this.#have;
    const last = bytes === null ? null : first + bytes - 1;
    this.#asked = { first, last };
    this.#coming = null;
    const fields: HeaderPair[] = [['range', `bytes=${first}-${last ?? ''}`]];
    if (this.#whole?.ifRange != null) fields.push(['if-range', this.#whole.ifRange]);
    return fields;
  }

  /**
   * A response to it came.
   * @returns `part`: its bytes are wanted. `alone`: see `isAlone`. `whole`: the server answered as if it had been
   * asked for all. `wrong`: not what was asked for, or of another representation than the parts before.
   */
  begin({ status, headers }: ResponseHead): 'part' | 'alone' | 'whole' | 'wrong' {
    if (status !== 206 && this.#have === 0) return 'whole';
    const { total = null, ifRange = null } = this.#whole ?? {};
    const asked = { validation: null, range: this.#asked, total, ifRange };
    const verdict = verdictOn(asked, { status, headers });
    if (verdict.kind !== 'part') return 'wrong';
    const { range } = verdict;
    // A server may send less than was asked for (RFC 9110 15.3.7), byte by byte: then it is left.
    const lastAsked = Math.min(this.#asked.last ?? Number.POSITIVE_INFINITY, range.total - 1);
    if (range.last !== lastAsked) return 'wrong';
    const coding = fieldValue(headers, 'content-encoding').toLowerCase();
    // (A 206 to If-Range need not repeat the coding, RFC 9110 15.3.7.)
    if (this.#whole !== null && coding !== '' && coding !== this.#whole.coding) return 'wrong';
    this.#whole ??= { total: range.total, ifRange: ifRangeOf(headers), coding };
    this.#coming = { ...range, bytes: 0 };
    return this.isAlone ? 'alone' : 'part';
  }

  /** What a 200 would have said. @param head of the first part. */
  wholeHead(head: ResponseHead): ResponseHead {
    const headers = wholeFields(head.headers, this.#whole?.total ?? 0);
    return { ...head, status: 200, statusText: 'OK', headers };
  }

  /** @returns false: these are more bytes than the part has. */
  take(bytes: number): boolean {
    const part = this.#coming;
    if (part === null) return true;
    part.bytes += bytes;
    return part.bytes <= part.last - part.first + 1;
  }

  /** The part ended. @returns false: bytes of it are missing. */
  end(): boolean {
    const part = this.#coming;
    if (part === null || part.bytes !== part.last - part.first + 1) return false;
    this.#have += part.bytes;
    this.#coming = null;
    return true;
  }

  /** The part that was coming comes again from its start. */
  restart(): void {
    this.#coming = null;
    if (this.#have === 0) this.#whole = null;
  }
}

/** Ten segments of 1,460 bytes, less a header section. */
const firstBytes = 14_000;
/** From the first byte of a part to its last; docs/prefetching.md says what it costs a page. */
const wantedMs = 25;
/** Below it a part is mostly header sections and round trips; above it nothing is won. */
const leastBytes = 4 * 1024;
const mostBytes = 256 * 1024;

export class PartSize {
  #bytes = firstBytes;

  /** @param have bytes that are there. */
  behind(have: number): number {
    return have === 0 ? firstBytes : this.#bytes;
  }

  /** A part came. @param tookMs from its first byte to its last. */
  learn(bytes: number, tookMs: number): void {
    const fitting = Math.round((bytes * wantedMs) / Math.max(tookMs, wantedMs / 2));
    this.#bytes = Math.min(Math.max(fitting, leastBytes), mostBytes);
  }
}

export class BodyBuffer {
  /** Bytes that came, taken ones too. */
  bytes = 0;
  #chunks: Buffer[] = [];
  /** What is of parts that are there. */
  #kept = { chunks: 0, bytes: 0 };

  get body(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** A copy: a chunk is a piece of a buffer that may hold much else. */
  add(chunk: Buffer): void {
    this.#chunks.push(Buffer.from(chunk));
  }

  /** A part is there. */
  keep(): void {
    this.#kept = { chunks: this.#chunks.length, bytes: this.bytes };
  }

  /** The part that was coming comes again. */
  dropComing(): void {
    this.#chunks.length = Math.min(this.#chunks.length, this.#kept.chunks);
    this.bytes = this.#kept.bytes;
  }

  take(): Buffer[] {
    return this.#chunks.splice(0);
  }
}
