// What is never learned nor hinted by its URL alone, whoever asks: the service, and the training from logs,
// hold the same rule.

import { VerdictMemo } from '../../process/verdict-memo.ts';
import type { AccessKind } from '../access.ts';
import { type QueryRule, queryMayBeHinted } from '../normalise-url.ts';
import { type DenyListOptions, denyList, type UrlRule } from './deny-list.ts';

export interface NameRuleOptions {
  query: QueryRule;
  deny: DenyListOptions;
  /** Of the site; null: URLs of any origin are learned. */
  origin: string | null;
}

/** `query`: it has a query string that may hold anything about anybody (normalise-url.ts). */
export type NameReason = 'cross-origin' | 'query' | 'denied';

/**
 * A function that says why a normalised URL is left out, or null.
 * @throws PrefetchdError `invalid-option`
 */
export function nameRule({
  query,
  deny,
  origin,
}: NameRuleOptions): (url: string, kind: AccessKind) => NameReason | null {
  const queryIsAllowed = queryMayBeHinted(query);
  const isDenied = remembered(denyList(deny));
  return (url, kind) => {
    if (origin !== null && url.charCodeAt(0) !== 47) return 'cross-origin';
    if (!queryIsAllowed(url, kind)) return 'query';
    return isDenied(url, kind) ? 'denied' : null;
  };
}

/** A verdict takes microseconds, and is asked for again with each access. */
function remembered(rule: UrlRule): UrlRule {
  const documents = new VerdictMemo((url) => rule(url, 'document'));
  const objects = new VerdictMemo((url) => rule(url, 'object'));
  return (url, kind) => (kind === 'document' ? documents : objects).of(url);
}
