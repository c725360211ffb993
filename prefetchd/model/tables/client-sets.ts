// Which clients stand behind an arc, as far as "at least k distinct ones" (k up to 6) needs to know: up to six
// fingerprints of ten bits, in two words an arc. Equal clients have equal fingerprints, so a count is
// never too high: a hint needs its k clients. It is too low once in 340 sets of three, when two clients
// share a fingerprint. Sets add up by union, whichever process they come from. Ten bits, since six of them and
// `seen` fill two words: a wider one would take a third word, 13 % more for each arc, to hint a little sooner.
//
// A client counts by its first word, the address (access.ts): user agents are free to invent.
//
// The clients of a service are pseudonyms that change with its salt (salt.ts). When an era ends, its
// fingerprints mean nothing any more; `seen`, in the four spare bits, keeps how many there were at most in
// any one era. Nobody counts twice for coming back the next day.

import { growArray } from './grow-array.ts';
import { textHash } from './texts.ts';

export const maxCountedClients = 6;
export const bytesPerClientSet = 8;
const inOneWord = 3;
const bits = 10;
const mask = 2 ** bits - 1;
const printsMask = 2 ** (bits * inOneWord) - 1;
const spareShift = bits * inOneWord;

/** 1..1023, of a hash of 32 bits. */
export function fingerprint(clientHash: number): number {
  return 1 + ((clientHash >>> 0) % mask);
}

/** Of a client's name. */
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

  /** At least so many distinct clients, in this era or in one before. */
  hasAtLeast(at: number, clients: number): boolean {
    return this.#holds(at, clients) || this.seen(at) >= clients;
  }

  /** Most distinct clients in one earlier era. */
  seen(at: number): number {
    return (
      ((this.#words[2 * at] as number) >>> spareShift) |
      (((this.#words[2 * at + 1] as number) >>> spareShift) << 2)
    );
  }

  /** An earlier era had so many; the most count. */
  setSeen(at: number, clients: number): void {
    if (clients <= this.seen(at)) return;
    const seen = Math.min(clients, maxCountedClients);
    this.#words[2 * at] =
      ((this.#words[2 * at] as number) & printsMask) | ((seen & 3) << spareShift);
    this.#words[2 * at + 1] =
      ((this.#words[2 * at + 1] as number) & printsMask) | ((seen >> 2) << spareShift);
  }

  /** Of all sets only the number of their clients stays. */
  endEra(): void {
    for (let at = 0; 2 * at < this.#words.length; at++) {
      if (((this.#words[2 * at] as number) & printsMask) === 0) continue;
      let prints = 1;
      while (prints < maxCountedClients && this.#holds(at, prints + 1)) prints++;
      this.setSeen(at, prints);
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

  clear(at: number): void {
    this.#words[2 * at] = 0;
    this.#words[2 * at + 1] = 0;
  }

  /** Copy a set, also from another table. */
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

  /** False: the word is full of others. */
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
