// Deletes arcs from Redis in steps of a few hundred.

import type { RedisKeys } from './keys.ts';
import type { RedisClient } from './link.ts';
import { arcAt, type RowField, recordBytes, rowFieldBytes } from './values.ts';

const arcsPerStep = 500;

/** Arcs of one row to delete. */
export interface Drop {
  field: RowField;
  /** Ids of their targets, four bytes each. */
  to: Buffer;
}

/** Null if there is nothing to delete. */
export function dropOf(
  field: RowField,
  row: Buffer,
  goes: (from: number, to: number) => boolean,
): Drop | null {
  const ids: Buffer[] = [];
  for (let at = 0; at < row.length; at += recordBytes) {
    if (goes(field.from, arcAt(row, at).to)) ids.push(Buffer.from(row.subarray(at, at + 4)));
  }
  return ids.length === 0 ? null : { field, to: Buffer.concat(ids) };
}

/** @param tick arcs changed by a later chunk are kept @returns the number of arcs deleted */
export async function dropArcs(
  client: RedisClient,
  keys: RedisKeys,
  drops: readonly Drop[],
  tick: number,
): Promise<number> {
  let gone = 0;
  for (let next = 0; next < drops.length; ) {
    const step: Buffer[] = [];
    for (let arcs = 0; arcs < arcsPerStep && next < drops.length; next++) {
      const { field, to } = drops[next] as Drop;
      step.push(rowFieldBytes(field), to);
      arcs += to.length / 4;
    }
    gone += Number(await client.dropArcs(keys.meta, keys.rows, tick, ...step));
  }
  return gone;
}
