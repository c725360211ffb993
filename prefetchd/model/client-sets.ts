// Which clients stand behind an arc, as far as "at least k distinct ones" (k up to 6) needs to know: up to six
// fingerprints of ten bits, in two words an arc. Equal clients have equal fingerprints, so a count is
// never too high: a hint needs its k clients. It is too low once in 340 sets of three, when two clients
// share a fingerprint. Sets add up by union, whichever process they come from.

import { grown } from './grown.ts';

export const maxCountedClients = 6;
export const bytesPerClientSet = 8;
const inOneWord = 3;
const bits = 10;
const mask = 2 ** bits - 1;

/** 1..1023, of a hash of 32 bits. */
export function fingerprint(clientHash: number): number {
  return 1 + (clientHash % mask);
}

export class ClientSets {
  #words: Uint32Array;

  constructor(length: number) {
    this.#words = new Uint32Array(2 * length);
  }

  add(at: number, print: number): void {
    for (let place = 0; place < maxCountedClients; place++) {
      const word = 2 * at + (place < inOneWord ? 0 : 1);
      const shift = bits * (place % inOneWord);
      const held = ((this.#words[word] as number) >>> shift) & mask;
      if (held === print) return;
      if (held !== 0) continue;
      this.#words[word] = (this.#words[word] as number) | (print << shift);
      return;
    }
  }

  /** At least so many distinct clients. */
  hasAtLeast(at: number, clients: number): boolean {
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
  move(from: number, to: number, table: ClientSets = this): void {
    this.#words[2 * to] = table.#words[2 * from] as number;
    this.#words[2 * to + 1] = table.#words[2 * from + 1] as number;
  }

  swap(one: number, other: number): void {
    const low = this.#words[2 * one] as number;
    const high = this.#words[2 * one + 1] as number;
    this.move(other, one);
    this.#words[2 * other] = low;
    this.#words[2 * other + 1] = high;
  }

  resize(length: number): void {
    this.#words = grown(this.#words, new Uint32Array(2 * length));
  }
}
