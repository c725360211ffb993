// Cases that are worth keeping (seeds/), and the first ones of a seed; `npm run fuzz` and FRESH_SEEDS=1 try others.

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { anySeed } from '../support/random.ts';
import { type Finding, fuzz } from './fuzz.ts';
import { targets } from './targets.ts';

const folder = new URL('./seeds/', import.meta.url);
const kept = readdirSync(folder).map(
  (name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Finding<never>,
);

test.each(targets)('$name: what was kept holds', async (target) => {
  await using tried = await target.start();
  const own = kept.filter((one) => one.target === target.name);
  expect(own).not.toHaveLength(0);
  for (const one of own)
    expect([one.problem, await tried.run(one.case)]).toEqual([one.problem, undefined]);
});

test.each(targets)(
  '$name: $casesInTests drawn cases',
  async (target) => {
    const { finding } = await fuzz(target, {
      seed: anySeed(),
      count: target.casesInTests,
      seconds: 20,
    });
    expect(finding).toBe(undefined);
  },
  30_000,
);
