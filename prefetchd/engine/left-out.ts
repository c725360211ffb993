// Lists for the operator what was left out because of a URL or its responses: the last 200 URLs, with counts, in
// memory. Accesses dropped because of the visitor (bot, prefetch, flood) are only in the counts (counts.ts).
//
// The list must not reveal what is private: URLs are masked before they are kept, so that all reset links are one
// entry.

import { LatestMap } from '../../process/latest-map.ts';
import type { AccessKind } from '../access.ts';
import type { Tables } from '../model/graph/graph.ts';
import {
  type DenyListOptions,
  type DenyReason,
  type UrlVerdict,
  urlRule,
} from '../rules/deny-list.ts';
import { tokenIn } from '../rules/opaque-text.ts';
import { privatePart, segmentsOf } from '../rules/private-path.ts';
import { decoded, isDeniedPart } from '../rules/url-words.ts';
import type { LeftOutAccess } from '../wire/left-out-json.ts';
import type { NotLearned } from './counts.ts';

export interface LeftOutUrl {
  /** The reason, as in counts.ts; two more are for URLs that are learned but not hinted: `few clients`, if too few
   *  distinct clients visited the URL, and `too large`, if it is above `maxHintBytes`. */
  reason: NotLearned | 'few clients' | 'too large';
  /** The rule of the deny list that applied, if the reason is `denied`. */
  because?: DenyReason;
  /** The URL, with `…` for its query and private parts. */
  url: string;
  kind: AccessKind;
  /** Number of accesses; for `few clients` and `too large`, older ones count less (ageing.ts). */
  count: number;
}

/** Reasons for which a URL is on the operator's list; true: the URL may be one person's, so more of it is masked. */
const listed: Readonly<Record<LeftOutAccess['reason'], boolean>> = {
  admin: false,
  authorization: true,
  denied: false,
  query: false,
  'set-cookie': true,
  private: true,
  'no-store': true,
  vary: false,
  noindex: true,
  'not-page': false,
};

/** The facts of an access that the list of left-out URLs uses; the URL is as it was requested, or masked already. */
export interface NamedAccess {
  url: string;
  kind: AccessKind;
  /** The host that was requested, as in an access (access.ts). */
  host?: string;
  /** The rule that denied the URL; given if the URL is masked already, because it can then no longer be judged. */
  because?: DenyReason;
}

/** Returns the entry for an access in the operator's list of left-out URLs; null if the reason is about the visitor. */
export function leftOutEntry(
  reason: NotLearned,
  { url: raw, kind, because: told, host }: NamedAccess,
  verdictOf: (url: string, kind: AccessKind) => UrlVerdict,
): LeftOutAccess | null {
  if (!isListed(reason)) return null;
  const verdict = reason === 'denied' ? (told ?? verdictOf(raw, kind)) : null;
  const because = verdict === null || verdict === 'unclear' ? undefined : verdict;
  return {
    reason,
    ...(because && { because }),
    url: maskedUrl(raw, listed[reason]),
    kind,
    ...(host !== undefined && { host }),
  };
}

function isListed(reason: NotLearned): reason is LeftOutAccess['reason'] {
  return Object.hasOwn(listed, reason);
}

const mostUrls = 200;
const mostFew = 50;

export class LeftOut {
  readonly #urls = new LatestMap<string, LeftOutUrl>(mostUrls);
  readonly #verdictOf;

  constructor(deny: DenyListOptions) {
    this.#verdictOf = urlRule(deny);
  }

  note(reason: NotLearned, of: NamedAccess): void {
    const entry = leftOutEntry(reason, of, this.#verdictOf);
    if (entry === null) return;
    const key = `${reason} ${entry.kind} ${entry.url}`;
    const known = this.#urls.get(key);
    if (known !== undefined) known.count++;
    else this.#urls.set(key, { ...entry, count: 1 });
  }

  /** Returns the entries sorted by number of accesses, most first; of equal ones, the latest first. */
  list(tables: Tables): LeftOutUrl[] {
    const all = [...this.#urls.values()].map((entry) => ({ ...entry })).reverse();
    return [...all, ...notHinted(tables)].sort((one, other) => other.count - one.count);
  }
}

/** Returns the most requested pages among those that only their size, or too few visitors, keep from being hinted. */
function notHinted({ nodes, graphs }: Tables): LeftOutUrl[] {
  const pages = graphs[0];
  if (pages === undefined) return [];
  return nodes.all
    .filter((node) => node.kind === 'document')
    .filter((node) => node.isTooLarge || (nodes.mayHint(node) && !pages.isVisited(node)))
    .sort((one, other) => other.accesses - one.accesses)
    .slice(0, mostFew)
    .map((node) => ({
      reason: node.isTooLarge ? 'too large' : 'few clients',
      url: maskedUrl(node.url, true),
      kind: 'document',
      count: Math.round((10 * node.accesses) / nodes.gain) / 10,
    }));
}

const mask = '…';
const longestShown = 200;

/**
 * Writes a URL so that an operator recognises the page but no person: without its query, and with `…` in place of the
 * rest from the first part that is private (private-path.ts) or that follows a word of the deny list. /reset/8f3a
 * becomes /reset/…. @param hidesNumbers true to mask segments with a digit, too, because the page may be meant for one
 * person
 */
export function maskedUrl(url: string, hidesNumbers: boolean): string {
  const [start = '', scheme = '', host = ''] =
    /^(https?:\/\/)(?:[^/?#]*@)?([^/?#]*)/i.exec(url) ?? [];
  const rest = url.slice(start.length);
  const end = rest.search(/[?#]/);
  const path = decoded(end === -1 ? rest : rest.slice(0, end));
  const query = end === -1 ? '' : `?${mask}`;
  const shown = path === null ? [mask] : maskedSegments(path, hidesNumbers);
  return `${scheme}${host}/${shown.join('/')}`.slice(0, longestShown) + query;
}

function maskedSegments(path: string, hidesNumbers: boolean): string[] {
  const segments = segmentsOf(path);
  const found = privatePart(path, 'document');
  const denied = segments.findIndex((part) => isDeniedPart(part));
  const from = Math.min(
    found?.from ?? segments.length,
    denied === -1 ? segments.length : denied + 1,
  );
  const hides = hidesNumbers || (found !== null && found.reason !== 'unclear');
  const shown = segments
    .slice(0, from)
    .map((part) => (tokenIn(part) !== null || (hides && /\d/.test(part)) ? mask : part));
  const all = from < segments.length ? [...shown, mask] : shown;
  return all.filter((part, index) => part !== mask || all[index - 1] !== mask);
}
