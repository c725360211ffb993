// The pages name files of the code, whole or by the end of their path, and link to others: they are there. A page of the
// package links to nothing outside it, but two are about a clone, and say so.

import { execSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const listed = (pattern: string) =>
  globSync(pattern, { cwd: fileURLToPath(root), exclude: ['**/node_modules', 'dist'] });
const code = listed('**/*.{ts,c}').map((file) => `/${file}`);

const pack = execSync('npm pack --dry-run --json --ignore-scripts', { cwd: fileURLToPath(root) });
const [packed] = Object.values<{ files: { path: string }[] }>(JSON.parse(pack.toString()));
const shipped = packed?.files.map(({ path }) => new URL(path, root).href) ?? [];

const pages = listed('{*,docs/**/*,lab/*,examples/**/*}.md');

it.each(pages)('every file that %s names is there', (page) => {
  const text = readFileSync(new URL(page, root), 'utf8');
  const all = (pattern: RegExp) => Array.from(text.matchAll(pattern), ([, name]) => name as string);
  const isCode = (name: string) => code.some((file) => file.endsWith(`/${name}`));
  expect(all(/`([\w./-]+\.(?:ts|c))`/g).filter((name) => !isCode(name))).toEqual([]);
  const { href } = new URL(page, root);
  const isShipped = shipped.includes(href) && !/benchmarks|^lab/.test(page);
  const isThere = (link: string) => {
    const url = new URL(link, href);
    return existsSync(url) && (!isShipped || shipped.some((path) => path.startsWith(url.href)));
  };
  expect(all(/\]\((?!https?:)([\w./-]+)/g).filter((link) => !isThere(link))).toEqual([]);
});
