// Writes hints of many pages as one file, for servers and build steps that query no service: JSON for programs, maps
// for nginx and for Caddy, and lines for Apache's RewriteMap and HAProxy's maps. All contain a complete Link field
// value per page.
//
// nginx parses its map as configuration: `$` begins a variable (`$http_cookie` in an invented URL would leak cookies),
// a quote ends a string, and keys are case-insensitive. The map therefore contains harmless characters only, and pages
// that differ only in case get case-sensitive keys. No line exceeds nginx's limit (4 KiB per word).

import type { Hint } from './hint.ts';
import { navigationOf, sitePath } from './hint.ts';
import { type LinkHintOptions, linkHeaderOf } from './link-hints.ts';

export interface HintTableRow {
  url: string;
  hints: readonly Hint[];
}

/** A page with the hints to send for it. */
export interface HintTableEntry {
  /** Path and query of the page. */
  page: string;
  /** Value of the Link field that gives the page's hints. */
  link: string;
  hints: readonly Hint[];
}

/** Longest page URL in files for servers, characters: nginx's map has no more room with `map_hash_bucket_size 512`. */
export const longestMapKey = 400;

/** Matches URLs whose characters have no meaning in configurations of servers. */
export const harmless = /^[\w./~!&'()*+,;=:@%?-]+$/;

/** Returns the entry of a page; null if there is no hint to send for it. */
export function hintTableEntry(
  { url, hints }: HintTableRow,
  options: LinkHintOptions,
): HintTableEntry | null {
  const { origin = null } = options;
  const page = sitePath(url, origin);
  const link = page === null ? '' : linkHeaderOf(hints, options);
  return page === null || link === '' ? null : { page, link, hints };
}

/**
 * Returns the hints as JSON, one line per page:
 * `{"pages": {"/a": {"link": "</b>; rel=prefetch; probability=0.83", "hints": [...]}}}`.
 */
function hintTableJson(entries: readonly HintTableEntry[]): string {
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

/** Returns the entries of pages whose URLs are `harmless`, with a Link value that names only harmless URLs. */
function harmlessEntries(entries: readonly HintTableEntry[], options: LinkHintOptions) {
  return entries.flatMap(({ page, hints }) => {
    if (!harmless.test(page) || page.length > longestMapKey) return [];
    // Harmful URLs are removed before the limit applies, so they take no other hint's place.
    const link = linkHeaderOf(
      hints.filter(({ url }) => harmless.test(url)),
      options,
    );
    return link === '' ? [] : [{ page, value: link }];
  });
}

type ShownEntries = ReturnType<typeof harmlessEntries>;

/** Returns the lines of the FILE in nginx's `map $request_uri $name { include FILE; }`. */
export function nginxMap(shown: ShownEntries): string[] {
  const sameButForCase = new Map<string, number>();
  for (const { page } of shown) {
    const key = page.toLowerCase();
    sameButForCase.set(key, (sameButForCase.get(key) ?? 0) + 1);
  }
  return shown.map(({ page, value }) => {
    const isAlone = sameButForCase.get(page.toLowerCase()) === 1;
    return `"${isAlone ? page : exactly(page)}" "${value.replace(/["\\]/g, '\\$&')}";\n`;
  });
}

/** Returns the lines of the FILE in Caddy's `map {uri} {name} { import FILE }`. */
const caddyMap = (shown: ShownEntries): string[] =>
  shown.map(({ page, value }) => `"${page}" "${value.replace(/["\\]/g, '\\$&')}"\n`);

/** Returns the lines of Apache's `RewriteMap name txt:FILE`, whose values have no blanks, and HAProxy's `map(FILE)`. */
const plainLines = (shown: ShownEntries): string[] =>
  shown.map(({ page, value }) => `${page} ${value.replace(/([;,]) /g, '$1')}\n`);

/** Functions that make the lines of a file of hints, by the ending of its name: for nginx, Caddy, Apache or HAProxy. */
const serverFiles: Readonly<Record<string, (shown: ShownEntries) => string[]>> = {
  map: nginxMap,
  caddy: caddyMap,
  txt: plainLines,
};

/** Returns the content of a file of hints, in the format that the ending of its name stands for. */
export function hintTable(
  path: string,
  entries: readonly HintTableEntry[],
  options: LinkHintOptions,
): string {
  const linesOf = serverFiles[/\.(map|caddy|txt)$/.exec(path)?.[1] ?? ''];
  if (linesOf === undefined) return hintTableJson(entries);
  const lines = linesOf(harmlessEntries(entries, options));
  return `# By prefetchd: what visitors of a page will want next, as values of a Link field.\n${lines.join('')}`;
}

/** Returns a regular expression for nginx that matches exactly this page, case-sensitively. */
function exactly(page: string): string {
  return `~^${page.replace(/[^\w/-]/g, (character) => `[${character}]`)}$`;
}
