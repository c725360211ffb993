// `prefetchd export --store STORE --rules DIR`: writes what was learned as speculation rules into files, for a site
// that a static host or a CDN serves.

import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { plural } from '../../loader/report/units.ts';
import { Engine } from '../../prefetchd/engine/engine.ts';
import { prefetchdDefaults } from '../../prefetchd/engine/prefetchd-options.ts';
import { exceptedLinks } from '../../prefetchd/rules/link-patterns.ts';
import { replaceFile } from '../../prefetchd/service/replace-file.ts';
import { openStore } from '../../prefetchd/store/store-location.ts';
import { sitePath } from '../../prefetchd/wire/hint.ts';
import { harmless, longestMapKey, nginxMap } from '../../prefetchd/wire/hint-table.ts';
import {
  rulesTag,
  speculationRulesOf,
  speculationRulesType,
} from '../../prefetchd/wire/speculation-rules.ts';
import { CommandError } from '../command-error.ts';
import type { LogFlags } from './read-logs.ts';
import { keptStore, learnerFor, requireFile } from './train.ts';
import { exportAccesses } from './warehouse.ts';

interface ExportFlags extends LogFlags {
  store?: string;
  rules?: string;
  /** File to which the requests of the logs are written, for a data warehouse that learns from them. */
  accesses?: string;
  origin?: string | null;
  /** Words and paths whose URLs get no rules, in addition to the usual ones such as `logout`. */
  deny?: string[];
}

/** Limit on the pages that get rules (the most requested ones), and on the links in the rule for all pages. */
const mostPages = 10_000;
const mostLinks = 500;

/** Runs `prefetchd export`. @returns the exit code */
export async function exportRules(logs: string[], flags: ExportFlags): Promise<number> {
  const { rules, store: place, accesses, origin = null, deny = [] } = flags;
  if (accesses !== undefined && logs.length > 0) return exportAccesses(accesses, logs, flags);
  if (accesses !== undefined || rules === undefined || place === undefined || logs.length > 0) {
    throw new CommandError('give --rules and --store, or --accesses and logs', 2);
  }
  const location = keptStore(place);
  requireFile(location);
  await refuseOthers(join(rules, '_headers'));
  const store = await openStore(location);
  // The graph is read with the predictor and the window (requests of a client taken together) that it was learned with.
  const { predictor, window } = await learnerFor(store, {}, prefetchdDefaults.halfLifeMs);
  const prefetchd = new Engine({ store, origin, predictor, window, deny: { extra: deny } });
  try {
    await prefetchd.ready;
    const { isHealthy, name } = prefetchd.stats().store;
    if (!isHealthy) throw new CommandError(`${name} cannot be read`, 1);
    const { selectors } = exceptedLinks({ extra: deny });
    const pages = await writeRules(prefetchd, rules, origin, selectors);
    process.stdout.write(`rules for ${plural(pages, 'page')} in ${rules}\n`);
    return pages > 0 ? 0 : 1;
  } finally {
    await prefetchd.close();
  }
}

/** Writes files with speculation rules, and files that tell servers which pages get them.
 *  @returns the number of pages with rules */
async function writeRules(
  prefetchd: Engine,
  folder: string,
  origin: string | null,
  selectors: string,
) {
  const base = `/${basename(resolve(folder))}`;
  const files = new Map<string, string>();
  const pages: { page: string; file: string }[] = [];
  const links = new Map<string, number>();
  for (const { url, hints } of prefetchd.pages(mostPages)) {
    const page = sitePath(url, origin);
    const documents = hints.filter(({ kind, url: to }) => kind === 'document' && harmless.test(to));
    if (page === null || !harmless.test(page) || documents.length === 0) continue;
    const text = speculationRulesOf(documents, { origin });
    // Pages with the same speculation rules share a file.
    const file = `${createHash('sha256').update(text).digest('hex').slice(0, 16)}.json`;
    files.set(file, text);
    pages.push({ page, file });
    for (const { url: to, probability } of documents)
      links.set(to, (links.get(to) ?? 0) + probability);
  }
  const likeliest = [...links].sort(([, a], [, b]) => b - a).slice(0, mostLinks);
  const paths = likeliest.flatMap(([url]) => sitePath(url, origin) ?? []);
  files.set('all.json', allRules(paths, selectors));
  const named = pages.map(({ page, file }) => ({ page, value: `"${base}/${file}"` }));
  const fitting = named.filter(({ page }) => page.length <= longestMapKey);
  files.set('rules.map', nginxMap(fitting).join(''));
  const typed = `${base}/*.json\n  Content-Type: ${speculationRulesType}\n`;
  const fields = named
    .filter(({ page }) => !/[*:?]/.test(page)) // these characters have a meaning in `_headers`
    .map(({ page, value }) => `${page}\n  Speculation-Rules: ${value}\n`);
  files.set('_headers', mark + typed + fields.join(''));
  await mkdir(folder, { recursive: true });
  for (const [name, text] of files) await replaceFile(join(folder, name), text);
  return pages.length;
}

/**
 * Returns one rule for all pages: it fetches a link to one of `paths` when the pointer rests on it. A pattern without a
 * query matches only URLs without one: `/` is not `/?logout`. Paths with a colon are left out: a pattern would take
 * the text before it for a scheme.
 */
function allRules(paths: readonly string[], selectors: string): string {
  const plain = paths.filter((path) => !path.includes(':'));
  const patterns = plain.map((path) => {
    const [before = '', query = ''] = path.split(/\?(.*)/s).map(escaped);
    return `${before}?${query}`;
  });
  const where = { and: [{ href_matches: patterns }, { not: { selector_matches: selectors } }] };
  const tag = `${rulesTag}-links`;
  return JSON.stringify({ tag: rulesTag, prefetch: [{ tag, where, eagerness: 'moderate' }] });
}

const escaped = (text: string): string => text.replace(/[\\*+?(){}]/g, '\\$&');

/** First line of `_headers`, by which this command knows its own file. */
const mark = '# By prefetchd export\n';

/** Refuses to replace a `_headers` file that this command did not write. @throws CommandError */
async function refuseOthers(file: string): Promise<void> {
  const found = await readFile(file, 'utf8').catch(() => mark);
  if (found.startsWith(mark)) return;
  const remedy = 'name a folder of its own in the root of the site, as public/prefetch';
  throw new CommandError(`--rules: ${file} is not of prefetchd export; ${remedy}`, 2);
}
