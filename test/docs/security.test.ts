// SECURITY.md names, beside each statement, the file that holds it: they are there, and the defaults are as it says.

import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { prefetchdDefaults } from '../../prefetchd/engine/prefetchd-options.ts';
import { maxCountedClients } from '../../prefetchd/model/tables/client-sets.ts';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('SECURITY.md', root), 'utf8');

test('every file that SECURITY.md names is there', () => {
  const named = [...page.matchAll(/`([\w./-]+\.ts)`|\]\(([\w./-]+)/g)].map(
    ([, file, link]) => file ?? link ?? '',
  );
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((name) => !existsSync(new URL(name, root)))).toEqual([]);
});

test('SECURITY.md gives the defaults as they are', () => {
  const { minClients, minPageClients, ipv6Prefix, maxAccessesPerHour } = prefetchdDefaults;
  expect(page).toContain(`k distinct subscribers, ${minClients} by default`);
  expect(page).toContain(`and ${minPageClients} visited its target`);
  expect(page).toContain(`by its first ${ipv6Prefix} bits`);
  expect(page).toContain(`${maxAccessesPerHour.toLocaleString('en')} accesses in all`);
  expect(page).toContain(`(${maxCountedClients} at most)`);
  expect(prefetchdDefaults.maxRepeatsPerHour).toBe(4);
});
