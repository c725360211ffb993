// Removes fingerprints of ended eras from all arcs (see sqlite/ended-eras.ts), in small steps while other nodes
// write. One node does it for all: it takes the lock of pruning, and `sweptEra` records completion.

import type { RedisKeys } from './keys.ts';
import type { RedisClient } from './link.ts';
import { forEachField } from './scan-keys.ts';
import { arcAt, recordBytes, storeFormat } from './values.ts';

const lockMs = 60_000;
const rowsPerStep = 100;

/** @returns false if another node is sweeping or pruning */
export async function endEras(
  client: RedisClient,
  keys: RedisKeys,
  present: number,
): Promise<boolean> {
  const [format, swept] = await client.hmget(keys.meta, 'format', 'sweptEra');
  if (format === null || swept === String(present)) return true;
  if (format !== storeFormat) return false;
  if ((await client.set(keys.prune, '1', 'PX', lockMs, 'NX')) === null) return false;
  let old: Buffer[] = [];
  await forEachField(
    client,
    keys.rows,
    (field, row) => {
      if (hasOther(row, present)) old.push(field);
    },
    async () => {
      for (let from = 0; from < old.length; from += rowsPerStep) {
        await client.endErasOfRows(keys.rows, present, ...old.slice(from, from + rowsPerStep));
      }
      old = [];
    },
  );
  await client.hset(keys.meta, 'sweptEra', present);
  await client.del(keys.prune);
  return true;
}

function hasOther(row: Buffer, present: number): boolean {
  for (let at = 0; at < row.length; at += recordBytes) {
    const { era } = arcAt(row, at);
    if (era !== 0 && era !== present) return true;
  }
  return false;
}
