// Referrer policies in header fields, attributes and <meta>.

/** The values of Referrer-Policy (W3C Referrer Policy 3). */
const referrerPolicies = [
  'no-referrer',
  'no-referrer-when-downgrade',
  'same-origin',
  'origin',
  'strict-origin',
  'origin-when-cross-origin',
  'strict-origin-when-cross-origin',
  'unsafe-url',
] as const;

export type ReferrerPolicy = (typeof referrerPolicies)[number];

export const defaultReferrerPolicy: ReferrerPolicy = 'strict-origin-when-cross-origin';

/** Legacy values of <meta name=referrer> (HTML 4.2.5.1). */
const legacy: Record<string, ReferrerPolicy> = {
  never: 'no-referrer',
  default: defaultReferrerPolicy,
  always: 'unsafe-url',
  'origin-when-crossorigin': 'origin-when-cross-origin',
};

/** Returns the referrer policy that a word names; null: the word is unknown and is ignored. */
export function referrerPolicyOf(word: string): ReferrerPolicy | null {
  const policy = word.trim().toLowerCase();
  return (referrerPolicies as readonly string[]).includes(policy)
    ? (policy as ReferrerPolicy)
    : null;
}

/** Returns the policy set by <meta name=referrer content=WORD>; null: the word sets none. */
export function metaReferrerPolicy(word: string): ReferrerPolicy | null {
  const known = word.trim().toLowerCase();
  return Object.hasOwn(legacy, known) ? (legacy[known] ?? null) : referrerPolicyOf(known);
}
