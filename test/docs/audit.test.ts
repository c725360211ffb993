// docs/audit.md names every kind of advice, and its budget is one. (Its commands: guides.test.ts.)

import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseBudgets } from '../../loader/audit/budget.ts';
import { fencedBlocks } from './fenced-blocks.ts';

const page = readFileSync(new URL('../../docs/audit.md', import.meta.url), 'utf8');
const blocks = fencedBlocks(page);
it('shows a budget that can be read', () => {
  const [budget] = blocks.filter(({ language }) => language === 'json');
  expect(parseBudgets(budget?.text ?? '')).toHaveLength(1);
});

it('lists every kind of advice', () => {
  const folder = new URL('../../loader/audit/', import.meta.url);
  const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const kinds = sources.flatMap((text) =>
    [...text.matchAll(/^ +kind: '([a-z-]+)',$/gm)].map(([, kind]) => kind),
  );
  expect(kinds.length).toBeGreaterThan(9);
  for (const kind of kinds) expect(page).toContain(`| \`${kind}\` |`);
});
