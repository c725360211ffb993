// All fields of a hash, in small steps while others go on: Redis is busy with none of them for long. One that was
// there all the time is found, perhaps twice, when the hash grew meanwhile.

import type { RedisClient } from './link.ts';

/** A step of rows (values.ts) is 400 kB or so. */
const fieldsPerStep = 1000;

/** @param after each step, before the next one is taken */
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
    // Redis looks for the next ones while these are taken.
    step = cursor.toString() === '0' ? null : read(cursor);
    step?.catch(() => {}); // it is awaited in the next round, unless a value is damaged
    for (let at = 0; at + 1 < found.length; at += 2) {
      take(found[at] as Buffer, found[at + 1] as Buffer);
    }
    await after();
  }
}
