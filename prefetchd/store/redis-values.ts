// Counters as they lie in Redis, little endian. The formats stand here once for the scripts (Lua's
// struct) and once for us.
//
// A count is in units that double every half life. `stretch` counts spans of 512 half lives: the unit is 2^(age -
// 512 stretch), so it never overflows however long the store lives, and going from one stretch to another is
// exact. `tick` is the number of the chunk that changed the value last, `rank` the place in that chunk: they tell
// which of two equals came later, and whether an entry of the stream is in the value already.

import { fingerprintsPerArc } from '../graph-delta.ts';

/** id, tick, stretch, kind, count */
export const nodeFormat = '<I4I4I4Bd';
/** tick, stretch, rank, era, seen, count; two bytes for each fingerprint follow */
export const arcFormat = '<I4I4HI4Bd';
/** graph, from, to */
export const arcFieldFormat = '<BI4I4';
export const halfLivesPerStretch = 512;

const arcHeadBytes = 23;

export interface NodeValue {
  id: number;
  tick: number;
  stretch: number;
  kind: number;
  count: number;
}

export interface ArcValue {
  tick: number;
  stretch: number;
  rank: number;
  era: number;
  seen: number;
  count: number;
  prints: number[];
}

export function nodeValue(bytes: Buffer): NodeValue {
  return {
    id: bytes.readUInt32LE(0),
    tick: bytes.readUInt32LE(4),
    stretch: bytes.readUInt32LE(8),
    kind: bytes.readUInt8(12),
    count: bytes.readDoubleLE(13),
  };
}

export function arcValue(bytes: Buffer): ArcValue {
  const prints: number[] = [];
  for (let at = arcHeadBytes; at + 2 <= bytes.length; at += 2) prints.push(bytes.readUInt16LE(at));
  return {
    tick: bytes.readUInt32LE(0),
    stretch: bytes.readUInt32LE(4),
    rank: bytes.readUInt16LE(8),
    era: bytes.readUInt32LE(10),
    seen: bytes.readUInt8(14),
    count: bytes.readDoubleLE(15),
    prints: prints.slice(0, fingerprintsPerArc),
  };
}

export interface ArcField {
  graph: number;
  from: number;
  to: number;
}

export function arcField(bytes: Buffer): ArcField {
  return { graph: bytes.readUInt8(0), from: bytes.readUInt32LE(1), to: bytes.readUInt32LE(5) };
}

export function arcFieldText({ graph, from, to }: ArcField): string {
  const bytes = Buffer.allocUnsafe(9);
  bytes.writeUInt8(graph, 0);
  bytes.writeUInt32LE(from, 1);
  bytes.writeUInt32LE(to, 5);
  return bytes.toString('latin1');
}

/** What a count is worth at an age, both in half lives since the store was made. */
export function worth(count: number, stretch: number, age: number): number {
  return count * 2 ** (halfLivesPerStretch * stretch - age);
}

/** The same sum as the script makes it. */
export function addAt(value: { count: number; stretch: number }, more: number, age: number): void {
  const stretch = Math.floor(age / halfLivesPerStretch);
  if (value.stretch < stretch) {
    value.count *= 2 ** (halfLivesPerStretch * (value.stretch - stretch));
    value.stretch = stretch;
  }
  value.count += more * 2 ** (age - halfLivesPerStretch * value.stretch);
}
