import { expect, it } from 'vitest';
import { ClientSlots } from '../../../prefetchd/simulate/client-slots.ts';

it('slots go to the client that comes, from the one silent longest', () => {
  const slots = new ClientSlots(10, 2);
  const assigned = [5, 7, 5, 9, 5, 7].map((client) => [slots.assign(client), slots.taken]);
  // 9 takes the slot of 7 (5 came after it); 7 comes back and takes that of 9.
  expect(assigned).toEqual([
    [0, false],
    [1, false],
    [0, false],
    [1, true],
    [0, false],
    [1, true],
  ]);
});
