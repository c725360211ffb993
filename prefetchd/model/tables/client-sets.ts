// The set of clients behind an arc, precise enough for "at least k distinct ones" (k up to 6): up to six ten-bit
// fingerprints in two words per arc. Equal clients have equal fingerprints, so a count is never too high. It is too
// low for about one in 340 sets of three, when two clients share a fingerprint. Sets from all processes can be united.
// Wider fingerprints would need a third word, 13 % more memory per arc, to hint only slightly sooner.
//
// A client is identified by the first word of its name, the address (access.ts), because user agents can be invented.
//
// Clients of a service are pseudonyms that change with its salt (salt.ts). When an era ends, its fingerprints lose
// their meaning; `seen`, in the four spare bits, keeps the largest number of clients in any one era. A client that
// returns the next day is therefore not counted twice. The highest of these bits says that the arc never led to the
// next page (seen.ts).

import { growArray } from './grow-array.ts';
import { mergedSeen, neverNext } from './seen.ts';
import { textHash } from './texts.ts';

export const maxCountedClients = 6;
export const bytesPerClientSet = 8;
const inOneWord = 3;
const bits = 10;
const mask = 2 ** bits - 1;
const printsMask = 2 ** (bits * inOneWord) - 1;
const spareShift = bits * inOneWord;

/** A fingerprint, 1..1023, from a 32-bit hash. */
export function fingerprint(clientHash: number): number {
  return 1 + ((clientHash >>> 0) % mask);
}

/** Fingerprint of a client's name. */
export function fingerprintOf(client: string): number {
  const space = client.indexOf(' ');
  return fingerprint(textHash(space < 0 ? client : client.slice(0, space)));
}

export class ClientSets {
  #words: Uint32Array;

  constructor(length: number) {
    this.#words = new Uint32Array(2 * length);
  }

  add(at: number, print: number): void {
    if (!this.#addTo(2 * at, print)) this.#addTo(2 * at + 1, print);
  }

  /** True if at least `clients` distinct clients were seen in this era or in an earlier one. */
  hasAtLeast(at: number, clients: number): boolean {
    return this.#holds(at, clients) || this.seen(at) % neverNext >= clients;
  }

  /** The value `seen` of an arc (seen.ts). */
  seen(at: number): number {
    return (
      ((this.#words[2 * at] as number) >>> spareShift) |
      (((this.#words[2 * at + 1] as number) >>> spareShift) << 2)
    );
  }

  /** Merge the value `seen` of a part of the arc's accesses. */
  addSeen(at: number, part: number): void {
    const before = this.seen(at);
    const seen = mergedSeen(before, part);
    if (seen === before) return;
    this.#words[2 * at] =
      ((this.#words[2 * at] as number) & printsMask) | ((seen & 3) << spareShift);
    this.#words[2 * at + 1] =
      ((this.#words[2 * at + 1] as number) & printsMask) | ((seen >> 2) << spareShift);
  }

  /** Replace every set by the number of its clients. */
  endEra(): void {
    for (let at = 0; 2 * at < this.#words.length; at++) {
      if (((this.#words[2 * at] as number) & printsMask) === 0) continue;
      let prints = 1;
      while (prints < maxCountedClients && this.#holds(at, prints + 1)) prints++;
      this.addSeen(at, neverNext + prints);
      this.#words[2 * at] = (this.#words[2 * at] as number) & ~printsMask;
      this.#words[2 * at + 1] = (this.#words[2 * at + 1] as number) & ~printsMask;
    }
  }

  #holds(at: number, clients: number): boolean {
    const word = 2 * at + (clients <= inOneWord ? 0 : 1);
    const shift = bits * ((clients - 1) % inOneWord);
    return (((this.#words[word] as number) >>> shift) & mask) !== 0;
  }

  list(at: number): number[] {
    const words = [this.#words[2 * at] as number, this.#words[2 * at + 1] as number];
    const prints = words.flatMap((word) => [
      word & mask,
      (word >>> bits) & mask,
      (word >>> (2 * bits)) & mask,
    ]);
    return prints.filter((print) => print !== 0);
  }

  /** @param seen `seen` of the new arc */
  clear(at: number, seen = 0): void {
    this.#words[2 * at] = (seen & 3) << spareShift;
    this.#words[2 * at + 1] = (seen >> 2) << spareShift;
  }

  /** Copy a set, possibly from another table. */
  copy(from: number, to: number, table: ClientSets = this): void {
    this.#words[2 * to] = table.#words[2 * from] as number;
    this.#words[2 * to + 1] = table.#words[2 * from + 1] as number;
  }

  swap(one: number, other: number): void {
    const low = this.#words[2 * one] as number;
    const high = this.#words[2 * one + 1] as number;
    this.copy(other, one);
    this.#words[2 * other] = low;
    this.#words[2 * other + 1] = high;
  }

  /** @returns false if the word is full. */
  #addTo(word: number, print: number): boolean {
    const held = this.#words[word] as number;
    for (let shift = 0; shift < inOneWord * bits; shift += bits) {
      const other = (held >>> shift) & mask;
      if (other === print) return true;
      if (other !== 0) continue;
      this.#words[word] = held | (print << shift);
      return true;
    }
    return false;
  }

  resize(length: number): void {
    this.#words = growArray(this.#words, new Uint32Array(2 * length));
  }
}
