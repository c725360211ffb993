// What was left out because of a URL or its responses, for the operator: the last 200 of them, with counts, in memory.
// What was dropped because of its visitor (bot, prefetch, flood) is in the counts alone (counts.ts).
//
// The list is no second way to learn what is private: URLs are masked before they are kept, so that all reset
// links are one entry.

import { LRUCache } from 'lru-cache';
import type { AccessKind } from '../access.ts';
import type { Tables } from '../model/graph/graph-tables.ts';
import {
  type DenyListOptions,
  type DenyReason,
  type UrlVerdict,
  urlRule,
} from '../rules/deny-list.ts';
import { tokenIn } from '../rules/path-token.ts';
import { privatePart, segmentsOf } from '../rules/private-path.ts';
import { decoded, isDeniedPart } from '../rules/url-words.ts';
import type { LeftOutAccess } from '../wire/index.ts';
import type { NotLearned } from './counts.ts';

export interface LeftOutUrl {
  /** As in the counts; learned but not hinted are `few clients`: too few distinct ones visited it, and `too large`: it is
   *  above `maxHintBytes`. */
  reason: NotLearned | 'few clients' | 'too large';
  /** Of `denied`: which rule. */
  because?: DenyReason;
  /** Masked with `…`. */
  url: string;
  kind: AccessKind;
  /** Accesses; those of the latter two are aged like the counts of the graph. */
  count: number;
}

/** Reasons that concern a URL; true: the page may be one person's. */
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

/** What was asked for. */
export interface NamedAccess {
  url: string;
  kind: AccessKind;
  /** As in an access. */
  host?: string;
  /** Of `denied`, which rule, where the URL is masked already. */
  because?: DenyReason;
}

/** Null: what it names is not why it was not learned. */
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
  readonly #urls = new LRUCache<string, LeftOutUrl>({ max: mostUrls });
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

  /** Most accesses first, of equals the latest. */
  list(tables: Tables): LeftOutUrl[] {
    const all = [...this.#urls.values()].map((entry) => ({ ...entry }));
    return [...all, ...notHinted(tables)].sort((one, other) => other.count - one.count);
  }
}

/** The most requested pages that would be hinted, but for their size or the number of their clients. */
function notHinted({ nodes, graphs }: Tables): LeftOutUrl[] {
  const pages = graphs[0];
  if (pages === undefined) return [];
  const found: number[] = [];
  for (const id of nodes.ids()) {
    if (nodes.kindOf(id) !== 'document') continue;
    if (nodes.isTooLarge(id) || (nodes.mayHint(id) && !pages.isVisited(id))) found.push(id);
  }
  found.sort((one, other) => nodes.accesses(other) - nodes.accesses(one));
  return found.slice(0, mostFew).map((id) => ({
    reason: nodes.isTooLarge(id) ? 'too large' : 'few clients',
    url: maskedUrl(nodes.urlOf(id), true),
    kind: 'document',
    count: Math.round((10 * nodes.accesses(id)) / nodes.gain) / 10,
  }));
}

const mask = '…';
const longestShown = 200;

/**
 * Writes a URL so that an operator recognises the page and nobody a person: without its query, and from the first part
 * on that is private (private-path.ts) or follows a word of the deny list, with `…`. /reset/8f3a becomes /reset/….
 * @param hidesNumbers also mask segments with a digit: the page may be one person's
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
