// Writes hints as header fields of a response: Link names them, Speculation-Rules the address of a document of rules,
// for which the browser asks next (own-paths.ts). The formats and their limits are in
// prefetchd/wire, which also ensures that only paths of the site are sent. A browser that follows a speculation rule
// says which one, and prefetches are counted by it.
//
// If a page without a freshness lifetime is named by both Link and speculation rules, a browser that knows both fetches
// it twice (Chromium 156). So a browser that knows the rules, as Sec-CH-UA tells, gets no pages by Link, only embedded
// objects. Others get both fields and use what they know, as do all if a shared cache may keep the page.

import { joinedLines } from '../../http/field-syntax.ts';
import type { Hint } from '../../prefetchd/wire/hint.ts';
import { appendLinkHints } from '../../prefetchd/wire/link-hints.ts';
import {
  rulesTag,
  type SpeculationTag,
  sfString,
  speculationRulesHeaderOf,
  speculationTags,
} from '../../prefetchd/wire/speculation-rules.ts';
import type { Request } from '../listen/handler.ts';
import type { CheckedHintsOptions } from './hint-options.ts';
import type { sharingOf } from './page-facts.ts';
import type { AddedField, Head } from './response-hooks.ts';
import type { PrefetchCounts } from './site-hints.ts';
import type { Visited } from './visited.ts';

/** Path of the speculation rules document, relative to the path that `hints()` is mounted on. */
export const rulesPath = '/speculation-rules.json';

type FieldOptions = Pick<CheckedHintsOptions, 'speculationRules' | 'origin'>;

/** Longest path and query of a page that gets rules, characters; the field Speculation-Rules has them, escaped. */
const longestTarget = 1024;

export interface HintedPage {
  /** Path and query of the page as visitors see them. */
  readonly url: string;
  readonly visited: Visited;
  readonly mount: string;
  /** True if this middleware answers requests for the page's speculation rules. */
  readonly servesRules: boolean;
  /**
   * True if the page gets speculation rules even without hints, because they have a rule for all links, or because the
   * browser requests them when it shows the page, so that their request reports the page view.
   */
  readonly needsRules: boolean;
  /** Whether a shared cache may give the page to any browser. */
  readonly sharing: ReturnType<typeof sharingOf>;
}

export function hintFields(
  hints: readonly Hint[],
  head: Head,
  req: Request,
  page: HintedPage,
  options: FieldOptions,
  isFetchedTwice: (url: string) => boolean,
): AddedField[] {
  const fields: AddedField[] = [];
  const { url, visited, mount, servesRules, needsRules, sharing } = page;
  const { origin, speculationRules } = options;
  const hasRules =
    speculationRules !== false &&
    servesRules &&
    url.length <= longestTarget &&
    (needsRules || hints.some(({ kind }) => kind === 'document'));
  if (hasRules) {
    const target = `${mount}${rulesPath}?url=${encodeURIComponent(url.toWellFormed())}`;
    const ours = speculationRulesHeaderOf([target]);
    const own = head.text('speculation-rules');
    fields.push({ name: 'Speculation-Rules', value: own === '' ? ours : `${own}, ${ours}` });
  }
  const usesRules = hasRules && sharing !== 'public' && req.headers['sec-ch-ua'] !== undefined;
  const linked = hints.filter(
    ({ kind, url, byRulesOnly }) =>
      byRulesOnly !== true && (kind === 'object' || !(usesRules || isFetchedTwice(url))),
  );
  if (linked.length > 0) {
    const own = head.field('link');
    const base = own === undefined ? '' : pageUrl(req, visited, url, origin);
    const value = appendLinkHints(own, base, linked, { origin });
    if (value !== head.text('link')) fields.push({ name: 'Link', value, isNew: own === undefined });
  }
  if (visited.variesByPrefix && fields.length > 0) {
    const own = head.text('vary');
    fields.push({ name: 'Vary', value: `${own}${own === '' ? '' : ', '}X-Forwarded-Prefix` });
  }
  return fields;
}

/** Returns the base URL of relative links in the site's own Link field. */
function pageUrl(req: Request, { headers }: Visited, url: string, origin: string | null): string {
  if (origin !== null) return URL.parse(url, origin)?.href ?? '';
  const host = headers[':authority'] ?? headers.host ?? '';
  const scheme = (req.socket as { encrypted?: boolean } | null)?.encrypted ? 'https' : 'http';
  return URL.parse(url, `${scheme}://${String(host)}`)?.href ?? '';
}

export const noPrefetches = (): PrefetchCounts => ({
  immediate: 0,
  eager: 0,
  moderate: 0,
  links: 0,
  prerender: 0,
  other: 0,
});

/** Returns the rule that caused a prefetch. Sec-Speculation-Tags lists the tags of the rule set and of the rule. */
export function ruleOf({ headers }: Request): SpeculationTag | 'other' {
  const tags = headers['sec-speculation-tags'];
  if (tags === undefined) return 'other';
  const said = joinedLines(tags);
  return speculationTags.find((rule) => said.includes(sfString(`${rulesTag}-${rule}`))) ?? 'other';
}
