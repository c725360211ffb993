// What failed because somebody else had the database is tried again, for as long as was given.

import { expect, it } from 'vitest';
import { retryWhileBusy } from '../../process/sqlite-file.ts';

const busy = Object.assign(new Error('busy'), { errcode: 5 });

it('tries again until it succeeds', () => {
  let tries = 0;
  retryWhileBusy(1000, () => {
    if (++tries < 3) throw busy;
  });
  expect(tries).toBe(3);
});

it('gives up after its time, and at once for another reason', () => {
  let tries = 0;
  const fails = (error: Error) => () => {
    tries++;
    throw error;
  };
  expect(() => retryWhileBusy(10, fails(busy))).toThrow(busy);
  expect(tries).toBe(3);
  expect(() => retryWhileBusy(1000, fails(new Error('full')))).toThrow('full');
  expect(tries).toBe(4);
});
