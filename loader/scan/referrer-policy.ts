// Referrer policies as header fields, attributes and <meta> spell them.

import { type ReferrerPolicy, referrerPolicies } from '../../http/referrer-policies.ts';

export type { ReferrerPolicy };

export const defaultReferrerPolicy: ReferrerPolicy = 'strict-origin-when-cross-origin';

/** Words of <meta name=referrer> from before there was a standard (HTML 4.2.5.1). */
const legacy: Record<string, ReferrerPolicy> = {
  never: 'no-referrer',
  default: defaultReferrerPolicy,
  always: 'unsafe-url',
  'origin-when-crossorigin': 'origin-when-cross-origin',
};

/** null for a word that is none: it sets nothing. */
export function referrerPolicyOf(word: string): ReferrerPolicy | null {
  const policy = word.trim().toLowerCase();
  return (referrerPolicies as readonly string[]).includes(policy)
    ? (policy as ReferrerPolicy)
    : null;
}

/** What <meta name=referrer content=WORD> sets; null: nothing. */
export function metaReferrerPolicy(word: string): ReferrerPolicy | null {
  const known = word.trim().toLowerCase();
  return Object.hasOwn(legacy, known) ? (legacy[known] ?? null) : referrerPolicyOf(known);
}
