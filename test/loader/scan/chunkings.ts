// The ways an input can arrive: whole, one unit at a time, and cut at random by a seed that the name
// carries. An incremental reader is right when all of them give the same result. Works on bytes and
// on text alike; empty chunks are among the cuts, because streams have them.

import { randomFrom } from '../../support/random.ts';

export interface Sliceable<T> {
  readonly length: number;
  slice(start: number, end?: number): T;
}

export interface Chunking<T> {
  name: string;
  chunks: T[];
}

const randomCuts = 12;

export function chunkings<T extends Sliceable<T>>(input: T): Array<Chunking<T>> {
  const all: Array<Chunking<T>> = [
    { name: 'whole', chunks: [input] },
    { name: 'one by one', chunks: cutAt(input, everyPlace(input.length)) },
  ];
  for (let seed = 1; seed <= randomCuts; seed++) {
    const next = randomFrom(seed);
    const places: number[] = [];
    const pieces = 1 + Math.floor(next() * 12);
    for (let piece = 0; piece < pieces; piece++) {
      places.push(Math.floor(next() * (input.length + 1)));
    }
    all.push({ name: `random cuts, seed ${seed}`, chunks: cutAt(input, places) });
  }
  return all;
}

/** `input` in pieces that end at `places`; equal places make empty pieces. */
export function cutAt<T extends Sliceable<T>>(input: T, places: number[]): T[] {
  const ends = [...places.toSorted((a, b) => a - b), input.length];
  return ends.map((end, index) => input.slice(ends[index - 1] ?? 0, end));
}

function everyPlace(length: number): number[] {
  return Array.from({ length: Math.max(0, length - 1) }, (_, index) => index + 1);
}
