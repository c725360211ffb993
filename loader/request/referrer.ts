// Finds the Referer field by policy (W3C Referrer Policy 8.3), and how two URLs are related (Fetch Metadata 3.2).

import { createRequire } from 'node:module';
import {
  defaultReferrerPolicy,
  type ReferrerPolicy,
  referrerPolicyOf,
} from '../scan/referrer-policy.ts';

export { defaultReferrerPolicy, type ReferrerPolicy };

/** Returns the policy that a Referrer-Policy header sets: the last known value in its list. */
export function parseReferrerPolicy(header: string): ReferrerPolicy {
  const known = header.split(',').flatMap((word) => referrerPolicyOf(word) ?? []);
  return known.at(-1) ?? defaultReferrerPolicy;
}

/** Returns the value of the Referer header for a request from `from` to `to`; '' if none is sent. */
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

/** Returns the value of Sec-Fetch-Site for a request from `from` to `to`. */
export function requestSite(from: URL, to: URL): 'same-origin' | 'same-site' | 'cross-site' {
  if (from.origin === to.origin) return 'same-origin';
  if (from.protocol !== to.protocol) return 'cross-site';
  if (from.hostname === to.hostname) return 'same-site';
  // The cookie library contains the Public Suffix List, which defines registrable domains.
  const { getPublicSuffix } = createRequire(import.meta.url)(
    'tough-cookie',
  ) as typeof import('tough-cookie');
  // Names under .test, .example and the like count as domains; IP addresses have no domain.
  const rules = { allowSpecialUseDomain: true, ignoreError: true };
  const domain = (url: URL): string | undefined => getPublicSuffix(url.hostname, rules);
  const mine = domain(from);
  return mine !== undefined && mine === domain(to) ? 'same-site' : 'cross-site';
}

/** Whether the URL's origin is potentially trustworthy: it uses https, or is this machine. */
export function isTrustworthy({ protocol, hostname }: URL): boolean {
  return (
    protocol === 'https:' ||
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}
