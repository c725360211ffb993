// Reads and renews the salt that all nodes share. Redis deletes it when its life is over. If several nodes replace it
// at once, the last new salt prevails, and the other nodes read it with their next addition.

import { isOver, newSalt, type Salt, saltOf } from '../../model/salt.ts';
import type { RedisClient } from './connection.ts';

/** The present salt. @param own as in `GraphStore.salt` */
export async function sharedSalt(
  client: RedisClient,
  key: string,
  { nowMs, lifeMs, own }: { nowMs: number; lifeMs: number; own: Salt | undefined },
): Promise<Salt> {
  const text = await client.getBuffer(key);
  const kept = text && saltOfText(text);
  if (kept !== null && !isOver(kept, nowMs, lifeMs)) return kept;
  const next = (kept === null && own) || newSalt(nowMs);
  const leftMs = Math.max(1, Math.ceil(Math.min(lifeMs, next.madeMs + lifeMs - nowMs)));
  if (kept !== null) await client.set(key, saltText(next), 'PX', leftMs);
  else await client.set(key, saltText(next), 'PX', leftMs, 'NX');
  const stored = await client.getBuffer(key);
  return stored === null ? next : saltOfText(stored);
}

/** The stored form of a salt: its creation time in ms, a space, and its 16 bytes. */
function saltText({ madeMs, bytes }: Salt): Buffer {
  return Buffer.concat([Buffer.from(`${madeMs} `), bytes]);
}

export function saltOfText(text: Buffer): Salt {
  const space = text.indexOf(' ');
  return saltOf(text.subarray(space + 1), Number(text.toString('latin1', 0, space)));
}
