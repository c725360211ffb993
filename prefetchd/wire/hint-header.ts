// The Prefetch-Hints header field, for clients other than browsers: compact ASCII JSON,
// `[["/about",0.83],["/i.png",0.7,"object"],["/j.png",0.6,"object","next"]]`. The fourth element is the navigation,
// if known; older readers ignore it. It may contain all hints of the site, including objects of unknown use. Reading
// is tolerant: invalid hints are skipped, and invalid JSON means no hints.

import { type FieldValue, joinedLines } from '../../http/field-syntax.ts';
import {
  type Hint,
  isProbability,
  longestUrl,
  mostHintsRead,
  notByRulesOnly,
  readHint,
  sameOriginUrl,
  siteHints,
} from './hint.ts';

export const hintHeaderName = 'Prefetch-Hints';

export interface HintHeaderOptions {
  /** The site's origin, `https://example.com`; without it, hints with absolute URLs are left out. */
  origin?: string | null;
  /** Most hints, 1..100. */
  maxHints?: number;
  /** Most bytes, 2..65536. */
  maxBytes?: number;
}

export const hintHeaderDefaults: Readonly<Required<HintHeaderOptions>> = {
  origin: null,
  maxHints: 8,
  maxBytes: 2048,
};

const longestField = 64 * 1024;

/**
 * The field value for these hints, in the order of hint.ts; a hint that does not fit is left out. '' if there are
 * none: then no field is to be sent.
 */
export function hintHeaderOf(hints: readonly Hint[], options: HintHeaderOptions = {}): string {
  const { origin, maxHints, maxBytes } = { ...hintHeaderDefaults, ...options };
  const entries: string[] = [];
  let left = maxBytes - 2;
  for (const { path, probability, kind, navigation } of siteHints(notByRulesOnly(hints), origin)) {
    if (entries.length >= maxHints) break;
    const embedded = navigation === undefined ? [kind] : [kind, navigation];
    const entry = JSON.stringify([path, probability, ...(kind === 'object' ? embedded : [])]);
    const bytes = entry.length + (entries.length === 0 ? 0 : 1);
    if (bytes > left) continue;
    entries.push(entry);
    left -= bytes;
  }
  return entries.length === 0 ? '' : `[${entries.join(',')}]`;
}

/**
 * The hints of a response at `base`, in order: same origin, absolute. Several header lines are read as one. Never
 * throws; reads at most 100 hints, and no field longer than 64 KiB.
 */
export function parseHintHeader(field: FieldValue, base: string): Hint[] {
  const text = joinedLines(field);
  if (text.length > longestField) return [];
  const hints: Hint[] = [];
  for (const list of parsedLists(text)) {
    if (!Array.isArray(list)) continue;
    for (const entry of list) {
      if (hints.length >= mostHintsRead) return hints;
      const hint = hintOf(entry, base);
      if (hint !== null) hints.push(hint);
    }
  }
  return hints;
}

/** Parses the field: header lines joined by commas are the elements of one more list. */
function parsedLists(text: string): unknown[] {
  try {
    const lists: unknown = JSON.parse(`[${text}]`);
    return Array.isArray(lists) ? lists : [];
  } catch {
    return [];
  }
}

function hintOf(entry: unknown, base: string): Hint | null {
  if (!Array.isArray(entry)) return null;
  const [raw, probability, kind = 'document', navigation] = entry as unknown[];
  if (typeof raw !== 'string' || raw.length > longestUrl || !isProbability(probability))
    return null;
  if (kind !== 'document' && kind !== 'object') return null;
  const url = sameOriginUrl(raw, base);
  return url === null ? null : readHint(url, probability, kind, navigation);
}
