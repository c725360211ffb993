// `prefetchd export --store STORE --rules DIR`: what was learned as speculation rules in files, for a site that a static
// host or a CDN serves.

import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { plural } from '../../loader/report/units.ts';
import { Engine } from '../../prefetchd/engine/engine.ts';
import { replaceFile } from '../../prefetchd/service/replace-file.ts';
import { openStore } from '../../prefetchd/store/store-location.ts';
import { sitePath } from '../../prefetchd/wire/hint.ts';
import { harmless, nginxMap } from '../../prefetchd/wire/hint-table.ts';
import {
  rulesTag,
  speculationRulesOf,
  speculationRulesType,
} from '../../prefetchd/wire/speculation-rules.ts';
import { CommandError } from '../command-error.ts';
import { keptStore, requireFile } from './train.ts';

interface ExportFlags {
  store: string;
  rules: string;
  origin?: string | null;
}

/** Limit on pages, the most requested first, and on the links that the rule for all pages names. */
const mostPages = 10_000;
const mostLinks = 500;

/** Runs the command. @returns the exit code */
export async function exportRules({ store, rules, origin = null }: ExportFlags): Promise<number> {
  const location = keptStore(store);
  requireFile(location);
  const prefetchd = new Engine({ store: await openStore(location), origin });
  try {
    await prefetchd.ready;
    const { isHealthy, name } = prefetchd.stats().store;
    if (!isHealthy) throw new CommandError(`${name} cannot be read`, 1);
    const pages = await writeRules(prefetchd, rules, origin);
    process.stdout.write(`rules for ${plural(pages, 'page')} in ${rules}\n`);
    return pages > 0 ? 0 : 1;
  } finally {
    await prefetchd.close();
  }
}

/** Writes the files. @returns the number of pages with rules */
async function writeRules(prefetchd: Engine, folder: string, origin: string | null) {
  const base = `/${basename(resolve(folder))}`;
  const files = new Map<string, string>();
  const pages: { page: string; file: string }[] = [];
  const links = new Map<string, number>();
  for (const { url, hints } of prefetchd.pages(mostPages)) {
    const page = sitePath(url, origin);
    const documents = hints.filter(({ kind, url: to }) => kind === 'document' && harmless.test(to));
    if (page === null || !harmless.test(page) || documents.length === 0) continue;
    const text = speculationRulesOf(documents, { origin });
    // Pages with the same rules share a file.
    const file = `${createHash('sha256').update(text).digest('hex').slice(0, 16)}.json`;
    files.set(file, text);
    pages.push({ page, file });
    for (const { url: to, probability } of documents)
      links.set(to, (links.get(to) ?? 0) + probability);
  }
  const likeliest = [...links].sort(([, a], [, b]) => b - a).slice(0, mostLinks);
  const paths = likeliest.flatMap(([url]) => sitePath(url, origin) ?? []);
  files.set('all.json', allRules(paths));
  const named = pages.map(({ page, file }) => ({ page, value: `"${base}/${file}"` }));
  files.set('rules.map', nginxMap(named).join(''));
  const typed = `${base}/*.json\n  Content-Type: ${speculationRulesType}\n`;
  const fields = named
    .filter(({ page }) => !/[*:?]/.test(page)) // which have a meaning there
    .map(({ page, value }) => `${page}\n  Speculation-Rules: ${value}\n`);
  files.set('_headers', typed + fields.join(''));
  await mkdir(folder, { recursive: true });
  for (const [name, text] of files) await replaceFile(join(folder, name), text);
  return pages.length;
}

/** One rule for all pages: of their links to what visitors open most, the one that the pointer rests on. */
function allRules(paths: readonly string[]): string {
  const where = { href_matches: paths.map((path) => path.replace(/[\\*+?(){}:]/g, '\\$&')) };
  const tag = `${rulesTag}-links`;
  return JSON.stringify({ tag: rulesTag, prefetch: [{ tag, where, eagerness: 'moderate' }] });
}
