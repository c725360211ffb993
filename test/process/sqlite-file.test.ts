// What failed because somebody else had the database is tried again, for as long as was given.

import { expect, it } from 'vitest';
import { retryWhileBusy } from '../../process/sqlite-file.ts';

const busy = Object.assign(new Error('busy'), { errcode: 5 });

it.each([
  ['tries again until it succeeds', 1000, [busy, busy], 3],
  ['gives up after its time', 10, [busy, busy, busy, busy], 3],
  ['gives up at once for another reason', 1000, [new Error('full')], 1],
])('%s', (_, timeoutMs, errors, expected) => {
  let tries = 0;
  const work = () => {
    const error = errors[tries++];
    if (error !== undefined) throw error;
  };
  if (errors[expected - 1] === undefined) retryWhileBusy(timeoutMs, work);
  else expect(() => retryWhileBusy(timeoutMs, work)).toThrow(errors[0]);
  expect(tries).toBe(expected);
});
