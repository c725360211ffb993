// How long a browser uses a response without revalidating it, according to its header.

import { CacheDirectives } from '../../http/cache-directives.ts';
import { TextMemo } from '../../process/text-memo.ts';
import type { Head } from './head-hook.ts';

/** Lifetime by Cache-Control alone, seconds. */
const lifetimesSaid = new TextMemo<number | 'nothing'>((text) => {
  const directives = new CacheDirectives(text);
  if (directives.has('no-store') || directives.isUnqualified('no-cache')) return 0;
  return directives.seconds('max-age') ?? 'nothing';
}, 500);

/** Whether a shared cache may give the response to others without revalidation (RFC 9111 3, 4.2.1): `public` and
 *  `s-maxage` say that it is meant for shared caches; a lifetime alone only permits it. */
export function sharingOf(head: Head): 'public' | 'possible' | 'none' {
  const text = head.text('cache-control');
  const directives = new CacheDirectives(text);
  if ((directives.seconds('s-maxage') ?? 0) > 0) return 'public';
  if (freshMsOf(head) > 0) return directives.has('public') ? 'public' : 'possible';
  return 'none';
}

/** How long a browser may use a response without revalidating it, ms (RFC 9111 4.2): max-age, else Expires, else a
 *  tenth of the time since its last modification (4.2.2), as in Chromium and Firefox. */
export function freshMsOf(head: Head): number {
  const text = head.text('cache-control');
  const seconds = text === '' ? 'nothing' : lifetimesSaid.get(text);
  if (seconds !== 'nothing') return 1000 * seconds;
  const expires = head.text('expires');
  const dateMs = Date.parse(head.text('date')) || Date.now();
  if (expires !== '') return Math.max(0, Date.parse(expires) - dateMs) || 0;
  const changed = head.text('last-modified');
  if (changed === '' || /\bmust-revalidate\b/i.test(text)) return 0;
  return Math.max(0, (dateMs - Date.parse(changed)) / 10) || 0;
}
