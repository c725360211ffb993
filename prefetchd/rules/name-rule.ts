// What is never learned or hinted because of its URL alone. The service and training from logs share this rule.

import { VerdictMemo } from '../../process/verdict-memo.ts';
import type { AccessKind } from '../access.ts';
import { type QueryRule, queryMayBeHinted } from '../normalise-url.ts';
import { type DenyListOptions, denyList, type UrlRule } from './deny-list.ts';

export interface NameRuleOptions {
  query: QueryRule;
  deny: DenyListOptions;
  /** Origin of the site; null: URLs of any origin are learned. */
  origin: string | null;
}

/** `query`: its query string may contain personal data (normalise-url.ts). */
export type NameReason = 'cross-origin' | 'query' | 'denied';

/**
 * Returns a function that reports why a normalised URL is excluded, or null.
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

/** Caches verdicts, which take microseconds and are needed for each access. */
function remembered(rule: UrlRule): UrlRule {
  const documents = new VerdictMemo((url) => rule(url, 'document'));
  const objects = new VerdictMemo((url) => rule(url, 'object'));
  return (url, kind) => (kind === 'document' ? documents : objects).of(url);
}
