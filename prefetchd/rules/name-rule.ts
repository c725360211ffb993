// Which URLs are never learned or hinted because of their names. The service and training from logs share this rule.

import type { AccessKind } from '../access.ts';
import { type QueryRule, queryMayBeHinted } from '../normalise-url.ts';
import { type DenyListOptions, urlRule } from './deny-list.ts';

export interface NameRuleOptions {
  query: QueryRule;
  deny: DenyListOptions;
  /** Origin of the site; null: URLs of any origin are learned. */
  origin: string | null;
}

/** `query`: the query string may contain personal data (normalise-url.ts). */
export type NameReason = 'cross-origin' | 'query' | 'denied';

export interface NameRule {
  /** Why a normalised URL is excluded, or null. */
  reasonOf: (url: string, kind: AccessKind) => NameReason | null;
  /** True for a page that is hinted only on evidence that it is public: with a query, or with an id in its path. */
  needsEvidence: (url: string, kind: AccessKind) => boolean;
}

/** @throws PrefetchdError `invalid-option` */
export function nameRule({ query, deny, origin }: NameRuleOptions): NameRule {
  const queryIsAllowed = queryMayBeHinted(query);
  const verdictOf = urlRule(deny);
  return {
    reasonOf: (url, kind) => {
      if (origin !== null && url.charCodeAt(0) !== 47) return 'cross-origin';
      if (!queryIsAllowed(url, kind)) return 'query';
      const verdict = verdictOf(url, kind);
      return verdict === null || verdict === 'unclear' ? null : 'denied';
    },
    needsEvidence: (url, kind) => {
      if (kind !== 'document') return false;
      return (query === 'evidence' && url.includes('?')) || verdictOf(url, kind) === 'unclear';
    },
  };
}
