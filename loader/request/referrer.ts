// Referer by policy (Referrer Policy, W3C, 8.3), and how two URLs relate (Fetch Metadata, 3.2).

import { createRequire } from 'node:module';
import {
  defaultReferrerPolicy,
  type ReferrerPolicy,
  referrerPolicyOf,
} from '../scan/referrer-policy.ts';

export { defaultReferrerPolicy, type ReferrerPolicy };

/** The policy a Referrer-Policy header sets: the last one in the list that is known. */
export function parseReferrerPolicy(header: string): ReferrerPolicy {
  const known = header.split(',').flatMap((word) => referrerPolicyOf(word) ?? []);
  return known.at(-1) ?? defaultReferrerPolicy;
}

/** Value of the Referer header; '' for none. */
export function refererFor(from: URL, to: URL, policy: ReferrerPolicy): string {
  const origin = `${from.origin}/`;
  const whole = origin + (from.pathname + from.search).slice(1);
  const same = from.origin === to.origin;
  const downgrade = from.protocol === 'https:' && to.protocol !== 'https:';
  if (policy === 'no-referrer') return '';
  if (policy === 'no-referrer-when-downgrade') return downgrade ? '' : whole;
  if (policy === 'same-origin') return same ? whole : '';
  if (policy === 'origin') return origin;
  if (policy === 'strict-origin') return downgrade ? '' : origin;
  if (policy === 'origin-when-cross-origin') return same ? whole : origin;
  if (policy === 'unsafe-url') return whole;
  if (same) return whole;
  return downgrade ? '' : origin;
}

/** Value of Sec-Fetch-Site for a reference on `from`. */
export function requestSite(from: URL, to: URL): 'same-origin' | 'same-site' | 'cross-site' {
  if (from.origin === to.origin) return 'same-origin';
  if (from.protocol !== to.protocol) return 'cross-site';
  if (from.hostname === to.hostname) return 'same-site';
  // Registrable domains come from the Public Suffix List, which the cookie library carries.
  const { getPublicSuffix } = createRequire(import.meta.url)(
    'tough-cookie',
  ) as typeof import('tough-cookie');
  // Names under .test, .example and the like are domains as any other; an address has none.
  const rules = { allowSpecialUseDomain: true, ignoreError: true };
  const domain = (url: URL): string | undefined => getPublicSuffix(url.hostname, rules);
  const mine = domain(from);
  return mine !== undefined && mine === domain(to) ? 'same-site' : 'cross-site';
}
