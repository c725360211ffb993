// docs/audit.md is followed from an empty folder, with sharp beside the package.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseBudgets } from '../../loader/audit/budget.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { fencedBlocks } from './fenced-blocks.ts';
import { GuideRun } from './guide-run.ts';
import { installPackage } from './installed-package.ts';

const page = readFileSync(new URL('../../docs/audit.md', import.meta.url), 'utf8');
const blocks = fencedBlocks(page);
const folder = folderOfTests();
let run: GuideRun;

beforeAll(async () => {
  await installPackage(folder, ['sharp']);
  run = await GuideRun.in(join(folder, 'audit'), folder);
}, 60_000);
afterAll(async () => {
  await run[Symbol.asyncDispose]();
});

it('prints what the page shows', { timeout: 120_000 }, async () => {
  for (const [index, block] of blocks.entries()) {
    if (block.language !== 'sh') continue;
    const next = blocks[index + 1];
    await run.follow(block, next?.language === 'text' ? next : null);
  }
});

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
  expect(kinds.length).toBe(11);
  for (const kind of kinds) expect(page).toContain(`| \`${kind}\` |`);
});
