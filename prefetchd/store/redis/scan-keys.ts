// Iterates over all fields of a hash in small steps, so that Redis is never busy for long. A field present throughout
// is found at least once; twice is possible if the hash grew meanwhile.

import type { RedisClient } from './link.ts';

/** A step of rows (values.ts) is about 400 kB. */
const fieldsPerStep = 1000;

/** @param after called after each step, before the next is taken */
export async function forEachField(
  client: RedisClient,
  key: string,
  take: (field: Buffer, value: Buffer) => void,
  after: () => Promise<void> = async () => {},
): Promise<void> {
  const read = (cursor: string | Buffer) =>
    client.hscanBuffer(key, cursor.toString(), 'COUNT', fieldsPerStep);
  let step: ReturnType<typeof read> | null = read('0');
  while (step !== null) {
    const [cursor, found]: [Buffer, Buffer[]] = await step;
    // Redis reads the next step while this one is processed.
    step = cursor.toString() === '0' ? null : read(cursor);
    step?.catch(() => {}); // awaited in the next round, unless a value is damaged
    for (let at = 0; at + 1 < found.length; at += 2) {
      take(found[at] as Buffer, found[at + 1] as Buffer);
    }
    await after();
  }
}
