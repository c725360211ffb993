// Hints of many pages as one file, for servers and build steps that ask nobody: JSON for programs, and a
// map for nginx. Both hold the ready value of a Link field for each page.
//
// nginx reads its map as configuration, where `$` begins a variable in a value (`$http_cookie` in a URL that
// somebody invented would print cookies), a quote ends a text, and keys are compared without regard to
// case. So only what consists of harmless characters goes in, and pages that differ in case alone get
// keys that are compared exactly. A line is never longer than nginx reads (4 KiB a word).

import type { Hint } from './hint.ts';
import { navigationOf, sitePath } from './hint.ts';
import { type LinkHintOptions, linkHeaderOf } from './link-hints.ts';

export interface HintTableRow {
  /** Of the page. */
  url: string;
  hints: readonly Hint[];
}

/** A page with what may go out for it. */
export interface HintTableEntry {
  /** Path and query of the page. */
  page: string;
  /** Value of a Link field. */
  link: string;
  hints: readonly Hint[];
}

/** Longer pages are left out of the map: `map_hash_bucket_size 512` holds this many bytes. */
export const longestMapKey = 400;

const harmless = /^[\w./~!&'()*+,;=:@%?-]+$/;

/** Null: no hint of it may go out. */
export function hintTableEntry(
  { url, hints }: HintTableRow,
  options: LinkHintOptions,
): HintTableEntry | null {
  const { origin = null } = options;
  const page = sitePath(url, origin);
  const link = page === null ? '' : linkHeaderOf(hints, options);
  return page === null || link === '' ? null : { page, link, hints };
}

/** `{"pages": {"/a": {"link": "</b>; rel=prefetch; probability=0.83", "hints": [...]}}}`, a line a page. */
export function hintTableJson(entries: readonly HintTableEntry[]): string {
  const lines = entries.map(({ page, link, hints }) => {
    const listed = hints.map(({ url, probability, kind, navigation }) => ({
      url,
      probability: Number(probability.toFixed(2)),
      kind,
      navigation: navigationOf(kind, navigation),
    }));
    return `${JSON.stringify(page)}: ${JSON.stringify({ link, hints: listed })}`;
  });
  return `{ "pages": {\n${lines.join(',\n')}\n} }\n`;
}

/** Lines for a block `map $request_uri $name { include FILE; }`. */
export function hintTableMap(entries: readonly HintTableEntry[], options: LinkHintOptions): string {
  const shown = entries.flatMap(({ page, hints }) => {
    if (!harmless.test(page) || page.length > longestMapKey) return [];
    // A hint that cannot be written must not cost the others their place.
    const link = linkHeaderOf(
      hints.filter(({ url }) => harmless.test(url)),
      options,
    );
    return link === '' ? [] : [{ page, link }];
  });
  const sameButForCase = new Map<string, number>();
  for (const { page } of shown) {
    const key = page.toLowerCase();
    sameButForCase.set(key, (sameButForCase.get(key) ?? 0) + 1);
  }
  const lines = shown.map(({ page, link }) => {
    const isAlone = sameButForCase.get(page.toLowerCase()) === 1;
    return `"${isAlone ? page : exactly(page)}" "${link.replace(/["\\]/g, '\\$&')}";\n`;
  });
  return `# By prefetchd: what visitors of a page will want next, as values of a Link field.\n${lines.join('')}`;
}

/** A regular expression for this text alone, in this case. */
function exactly(page: string): string {
  return `~^${page.replace(/[^\w/-]/g, (character) => `[${character}]`)}$`;
}
