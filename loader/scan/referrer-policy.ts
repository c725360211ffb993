// Referrer policies in header fields, attributes and <meta>.

import { type ReferrerPolicy, referrerPolicies } from '../../http/referrer-policies.ts';

export type { ReferrerPolicy };

export const defaultReferrerPolicy: ReferrerPolicy = 'strict-origin-when-cross-origin';

/** Legacy values of <meta name=referrer> (HTML 4.2.5.1). */
const legacy: Record<string, ReferrerPolicy> = {
  never: 'no-referrer',
  default: defaultReferrerPolicy,
  always: 'unsafe-url',
  'origin-when-crossorigin': 'origin-when-cross-origin',
};

/** null: the word is unknown and is ignored. */
export function referrerPolicyOf(word: string): ReferrerPolicy | null {
  const policy = word.trim().toLowerCase();
  return (referrerPolicies as readonly string[]).includes(policy)
    ? (policy as ReferrerPolicy)
    : null;
}

/** The policy set by <meta name=referrer content=WORD>; null: the word sets none. */
export function metaReferrerPolicy(word: string): ReferrerPolicy | null {
  const known = word.trim().toLowerCase();
  return Object.hasOwn(legacy, known) ? (legacy[known] ?? null) : referrerPolicyOf(known);
}
