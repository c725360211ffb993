// The values of Referrer-Policy (W3C Referrer Policy 3).

export const referrerPolicies = [
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
