// Fetches a body in ranges, so that only one small part is in flight at a time (RFC 9110 14): bytes queued in the
// server and the network cannot be recalled when a page begins. Parts are combined only if they certainly belong to
// one representation: each has the strong validator of the first, its total length and coding, and begins right
// after the previous one (RFC 9110 15.3.7.3, RFC 9111 3.4).

import { fieldValue, type HeaderPair } from '../../http/header-pairs.ts';
import type { StoredRange } from '../cache/entry.ts';
import { ifRangeOf } from '../cache/policy/if-range.ts';
import { wholeFields } from '../cache/policy/ranges.ts';
import type { ByteRange } from '../request/request-plan.ts';
import { verdictOn } from '../response/verdict.ts';
import type { ResponseHead } from '../transport/exchange.ts';

/** Properties of the whole representation, from the first part. */
interface Whole {
  total: number;
  /** null: there is no strong validator, so no other part may follow. */
  ifRange: string | null;
  coding: string;
}

export class Parts {
  #whole: Whole | null = null;
  #asked: ByteRange = { first: 0, last: null };
  /** The part in flight and its bytes so far; null: its header section has not arrived. */
  #coming: (StoredRange & { bytes: number }) | null = null;
  #have = 0;

  /** Bytes of the complete parts; the next part begins after them. */
  get have(): number {
    return this.#have;
  }

  /** Whether a part has arrived or is arriving; if not, the response may still be a whole one. */
  get isBegun(): boolean {
    return this.#whole !== null;
  }

  /** Whether the arriving part cannot be combined with others, so that the whole must be requested. */
  get isAlone(): boolean {
    if (this.#whole === null || this.#whole.ifRange !== null) return false;
    return this.#coming !== null && this.#coming.last + 1 < this.#whole.total;
  }

  get isWhole(): boolean {
    return this.#whole?.total === this.#have;
  }

  /** Range fields of the next request. @param bytes Number of bytes to request; null: all that are missing. */
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
   * Judges the response to the last request.
   * @returns `part`: its bytes are wanted. `alone`: see `isAlone`. `whole`: the server ignored the range. `wrong`:
   * it is not the requested range, or a representation other than that of the previous parts.
   */
  begin({ status, headers }: ResponseHead): 'part' | 'alone' | 'whole' | 'wrong' {
    if (status !== 206 && this.#have === 0) return 'whole';
    const { total = null, ifRange = null } = this.#whole ?? {};
    const asked = { validation: null, range: this.#asked, total, ifRange };
    const verdict = verdictOn(asked, { status, headers });
    if (verdict.kind !== 'part') return 'wrong';
    const { range } = verdict;
    // A server may send less than requested (RFC 9110 15.3.7), even single bytes; such a response is dropped.
    const lastAsked = Math.min(this.#asked.last ?? Number.POSITIVE_INFINITY, range.total - 1);
    if (range.last !== lastAsked) return 'wrong';
    const coding = fieldValue(headers, 'content-encoding').toLowerCase();
    // A 206 to If-Range need not repeat the coding (RFC 9110 15.3.7).
    if (this.#whole !== null && coding !== '' && coding !== this.#whole.coding) return 'wrong';
    this.#whole ??= { total: range.total, ifRange: ifRangeOf(headers), coding };
    this.#coming = { ...range, bytes: 0 };
    return this.isAlone ? 'alone' : 'part';
  }

  /** The head of the equivalent 200. @param head Head of the first part. */
  wholeHead(head: ResponseHead): ResponseHead {
    const headers = wholeFields(head.headers, this.#whole?.total ?? 0);
    return { ...head, status: 200, statusText: 'OK', headers };
  }

  /** @returns false if the part has fewer bytes than arrived. */
  take(bytes: number): boolean {
    const part = this.#coming;
    if (part === null) return true;
    part.bytes += bytes;
    return part.bytes <= part.last - part.first + 1;
  }

  /** Ends the part. @returns false if some of its bytes are missing. */
  end(): boolean {
    const part = this.#coming;
    if (part === null || part.bytes !== part.last - part.first + 1) return false;
    this.#have += part.bytes;
    this.#coming = null;
    return true;
  }

  /** Called when the part in flight starts over. */
  restart(): void {
    this.#coming = null;
    if (this.#have === 0) this.#whole = null;
  }
}

/** Size of the first part: ten segments of 1,460 bytes, minus a header section. */
const firstBytes = 14_000;
/** Target time from the first to the last byte of a part; docs/prefetching.md gives its cost to a page. */
const wantedMs = 25;
/** Limits of the part size: smaller parts are mostly header sections and round trips; larger ones gain nothing. */
const leastBytes = 4 * 1024;
const mostBytes = 256 * 1024;

export class PartSize {
  #bytes = firstBytes;

  /** Size of the next part, bytes. @param have Number of bytes already received. */
  behind(have: number): number {
    return have === 0 ? firstBytes : this.#bytes;
  }

  /** Adapts the size to a completed part. @param tookMs Time from its first byte to its last, ms. */
  learn(bytes: number, tookMs: number): void {
    const fitting = Math.round((bytes * wantedMs) / Math.max(tookMs, wantedMs / 2));
    this.#bytes = Math.min(Math.max(fitting, leastBytes), mostBytes);
  }
}

export class BodyBuffer {
  /** Bytes received, including those already taken. */
  bytes = 0;
  #chunks: Buffer[] = [];
  /** The beginning of the body that consists of complete parts. */
  #kept = { chunks: 0, bytes: 0 };

  get body(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** Adds a copy, because a chunk is a slice of a larger buffer. */
  add(chunk: Buffer): void {
    this.#chunks.push(Buffer.from(chunk));
  }

  /** Marks the current part as complete. */
  keep(): void {
    this.#kept = { chunks: this.#chunks.length, bytes: this.bytes };
  }

  /** Drops the incomplete part, which will be received again. */
  dropComing(): void {
    this.#chunks.length = Math.min(this.#chunks.length, this.#kept.chunks);
    this.bytes = this.#kept.bytes;
  }

  take(): Buffer[] {
    return this.#chunks.splice(0);
  }
}
