// Storage format of counters in Redis, little endian, defined once for the scripts (Lua's struct) and for this
// process.
//
// The arcs that leave one URL share one value, an unordered row of fixed-length records. A million arcs are then
// about a hundred thousand values, which Redis returns ten times as fast as a million values.
//
// A count is in units that double every half-life. `stretch` counts spans of 512 half-lives: the unit is 2^(age - 512
// stretch), so it never overflows, and converting between stretches is exact. `tick` is the number of the chunk that
// last changed the value, `rank` the place in that chunk: they order two equal arcs by recency, and show whether a
// value already includes a stream entry.

import { fingerprintsPerArc } from '../../model/delta/graph-delta.ts';

/** Version of the whole format. */
export const storeFormat = '2';
/** id, tick, stretch, kind, count */
export const nodeFormat = '<I4I4I4Bd';
/** tick, stretch, rank, era, seen, count; preceded by four bytes for the id of `to`, followed by the fingerprints */
export const arcFormat = '<I4I4HI4Bd';
/** Length of a record: 4 and 23, and two for each of six fingerprints; zero if absent. */
export const recordBytes = 39;
export const printsAtByte = 27;
export const halfLivesPerStretch = 512;

export interface NodeValue {
  id: number;
  tick: number;
  stretch: number;
  kind: number;
  count: number;
}

export interface ArcValue {
  to: number;
  tick: number;
  stretch: number;
  rank: number;
  era: number;
  seen: number;
  count: number;
  prints: readonly number[];
}

/** Key of a row: one byte for the graph, four for the id of `from`. */
export interface RowField {
  graph: number;
  from: number;
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

export function rowField(bytes: Buffer): RowField {
  return { graph: bytes.readUInt8(0), from: bytes.readUInt32LE(1) };
}

export function rowFieldBytes({ graph, from }: RowField): Buffer {
  const bytes = Buffer.allocUnsafe(5);
  bytes.writeUInt8(graph, 0);
  bytes.writeUInt32LE(from, 1);
  return bytes;
}

/** The record at an offset of a row. */
export function arcAt(row: Buffer, at: number): ArcValue {
  const prints: number[] = [];
  for (let place = 0; place < fingerprintsPerArc; place++) {
    const print = row.readUInt16LE(at + printsAtByte + 2 * place);
    if (print !== 0) prints.push(print);
  }
  return {
    to: row.readUInt32LE(at),
    tick: row.readUInt32LE(at + 4),
    stretch: row.readUInt32LE(at + 8),
    rank: row.readUInt16LE(at + 12),
    era: row.readUInt32LE(at + 14),
    seen: row.readUInt8(at + 18),
    count: row.readDoubleLE(at + 19),
    prints,
  };
}

export function writeArcAt(row: Buffer, at: number, arc: ArcValue): void {
  row.writeUInt32LE(arc.to, at);
  row.writeUInt32LE(arc.tick, at + 4);
  row.writeUInt32LE(arc.stretch, at + 8);
  row.writeUInt16LE(arc.rank, at + 12);
  row.writeUInt32LE(arc.era, at + 14);
  row.writeUInt8(arc.seen, at + 18);
  row.writeDoubleLE(arc.count, at + 19);
  for (let place = 0; place < fingerprintsPerArc; place++) {
    row.writeUInt16LE(arc.prints[place] ?? 0, at + printsAtByte + 2 * place);
  }
}

/** Accesses that a count is worth at an age; both in half-lives since the store was founded. */
export function worth(count: number, stretch: number, age: number): number {
  return count * 2 ** (halfLivesPerStretch * stretch - age);
}

/** The same addition as in the script. */
export function addAt(value: { count: number; stretch: number }, more: number, age: number): void {
  const stretch = Math.floor(age / halfLivesPerStretch);
  if (value.stretch < stretch) {
    value.count *= 2 ** (halfLivesPerStretch * (value.stretch - stretch));
    value.stretch = stretch;
  }
  value.count += more * 2 ** (age - halfLivesPerStretch * value.stretch);
}
