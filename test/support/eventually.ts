// Waiting for what will come, without guessing how long it takes: looked at again and again, until a deadline
// that only a broken program reaches.

import { setTimeout as wait } from 'node:timers/promises';

const deadlineMs = 25_000;
const lookIntervalMs = 5;

/** @param what for the message when it never comes */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  what = 'the condition',
): Promise<void> {
  const endMs = performance.now() + deadlineMs;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await wait(lookIntervalMs);
  }
}
