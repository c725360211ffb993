// The defaults and the figures of SECURITY.md are those of the code and of its bench.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { prefetchdDefaults } from '../../prefetchd/engine/prefetchd-options.ts';
import { maxCountedClients } from '../../prefetchd/model/graph/client-sets.ts';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('SECURITY.md', root), 'utf8');

test('SECURITY.md quotes what poisoned hints cost as it was measured', () => {
  const file = new URL('lab/results/prefetchd-poisoning.json', root);
  const { tables } = JSON.parse(readFileSync(file, 'utf8'));
  const front = tables[0].rows.filter(([, name]: string[]) => name === 'the front page');
  expect(front).toHaveLength(3);
  for (const [visitors, , ...costs] of front) {
    const medians = costs.map(({ median }: { median: number }) => median.toLocaleString('en'));
    expect(page).toContain(`| ${[visitors, ...medians].join(' | ')} |`);
  }
});

test('SECURITY.md gives the defaults as they are', () => {
  const { minClients, minPageClients, maxAccessesPerDay } = prefetchdDefaults;
  expect(page).toContain(`k distinct subscribers, ${minClients} by default`);
  expect(page).toContain(`and ${minPageClients} visited its target`);
  expect(page).toContain(`${maxAccessesPerDay.toLocaleString('en')} accesses in all a day`);
  expect(page).toContain(`(${maxCountedClients} at most)`);
  expect(prefetchdDefaults.maxRepeatsPerDay).toBe(2);
});
