// The pages name files of the code, whole or by the end of their path, and link to others: they are there.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const listed = (pattern: string) =>
  globSync(pattern, { cwd: fileURLToPath(root), exclude: ['**/node_modules', 'dist'] });
const code = listed('**/*.{ts,c}').map((file) => `/${file}`);

const pages = listed('{*,docs/**/*,lab/*,examples/**/*}.md');

it.each(pages)('every file that %s names is there', (page) => {
  const text = readFileSync(new URL(page, root), 'utf8');
  const all = (pattern: RegExp) => Array.from(text.matchAll(pattern), ([, name]) => name as string);
  const isCode = (name: string) => code.some((file) => file.endsWith(`/${name}`));
  expect(all(/`([\w./-]+\.(?:ts|c))`/g).filter((name) => !isCode(name))).toEqual([]);
  const isThere = (link: string) => existsSync(new URL(link, new URL(page, root)));
  expect(all(/\]\((?!https?:)([\w./-]+)/g).filter((link) => !isThere(link))).toEqual([]);
});
