// Who uses speculation rules, as far as it shows; for a day, like all that is known of a visitor.

import { expect, it } from 'vitest';
import { RulesReaders } from '../../../server/hints/rules-readers.ts';

const dayMs = 24 * 60 * 60 * 1000;
const one = '192.0.2.1 Chrome';
const other = '192.0.2.2 Chrome';

it('a client that asked for rules uses them; one that was sent the field three times in vain does not', () => {
  const readers = new RulesReaders(() => 0);
  expect([readers.uses(one, true), readers.uses(one, false)]).toEqual([true, false]);
  for (let n = 0; n < 3; n++) readers.sent(one);
  expect([readers.uses(one, true), readers.uses(other, true)]).toEqual([false, true]);
  readers.asked(one);
  readers.sent(one);
  expect([readers.uses(one, false), readers.uses(other, false)]).toEqual([true, false]);
});

it('of nobody in particular nothing is kept', () => {
  const readers = new RulesReaders(() => 0);
  readers.asked(null);
  expect([readers.uses(null, true), readers.uses(null, false)]).toEqual([true, false]);
});

it('after a day all are forgotten', () => {
  let nowMs = 0;
  const readers = new RulesReaders(() => nowMs);
  readers.asked(one);
  nowMs = dayMs - 1;
  expect(readers.uses(one, false)).toBe(true);
  readers.asked(one);
  nowMs = dayMs;
  expect(readers.uses(one, false)).toBe(false);
});
