// The pages name files of the code, whole or by the end of their path, and link to others: they are there.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const listed = (pattern: string) =>
  globSync(pattern, { cwd: fileURLToPath(root), exclude: ['**/node_modules', 'dist'] });
const code = listed('**/*.{ts,c}').map((file) => `/${file}`);

it.each(listed('{*,docs/**/*,lab/*,examples/**/*}.md'))(
  'every file that %s names is there',
  (page) => {
    const text = readFileSync(new URL(page, root), 'utf8');
    const named = [...text.matchAll(/`([\w./-]+\.(?:ts|c))`/g)].map(([, name]) => `/${name}`);
    expect(named.filter((name) => !code.some((file) => file.endsWith(name)))).toEqual([]);
    const links = [...text.matchAll(/\]\((?!https?:)([\w./-]+)/g)].map(
      ([, link]) => link as string,
    );
    expect(links.filter((link) => !existsSync(new URL(link, new URL(page, root))))).toEqual([]);
  },
);
