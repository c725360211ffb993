// Fingerprints of clients whose era is over (see sqlite-ended-eras.ts) go from all arcs, in small steps and beside
// everything else. One node does it for all: the lock is that of pruning, and `sweptEra` says that it was done.

import type { RedisKeys } from './redis-keys.ts';
import type { RedisClient } from './redis-link.ts';
import { forEachField } from './redis-rows.ts';
import { arcValue } from './redis-values.ts';

const lockMs = 60_000;
const fieldsPerStep = 500;

/** @returns false: another node is at it, or prunes */
export async function endEras(
  client: RedisClient,
  keys: RedisKeys,
  present: number,
): Promise<boolean> {
  const [format, swept] = await client.hmget(keys.meta, 'format', 'sweptEra');
  if (format === null || swept === String(present)) return true;
  if ((await client.set(keys.prune, '1', 'PX', lockMs, 'NX')) === null) return false;
  let old: Buffer[] = [];
  const write = async (fields: Buffer[]) => {
    if (fields.length > 0) await client.endErasOfFields(keys.arcs, present, ...fields);
  };
  await forEachField(
    client,
    keys.arcs,
    (field, bytes) => {
      const { era } = arcValue(bytes);
      if (era !== 0 && era !== present) old.push(field);
    },
    async () => {
      for (let from = 0; from < old.length; from += fieldsPerStep) {
        await write(old.slice(from, from + fieldsPerStep));
      }
      old = [];
    },
  );
  await client.hset(keys.meta, 'sweptEra', present);
  await client.del(keys.prune);
  return true;
}
