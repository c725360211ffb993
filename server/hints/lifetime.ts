// How long a browser shows a response without asking again, as its header says.

import { CacheDirectives } from '../../http/cache-directives.ts';
import { TextMemo } from '../../process/text-memo.ts';
import type { Head } from './head-hook.ts';

/** Seconds by a Cache-Control field alone. */
const lifetimesSaid = new TextMemo<number | 'nothing'>(
  (text) => {
    const directives = new CacheDirectives(text);
    if (directives.has('no-store') || directives.isUnqualified('no-cache')) return 0;
    return directives.seconds('max-age') ?? 'nothing';
  },
  500,
  256,
);

/** True if a shared cache may give the response to others (RFC 9111 3, 4.2.1), as it says: public, or with a lifetime. */
export function isForShared(head: Head): boolean {
  const text = head.text('cache-control');
  if (text === '') return Date.parse(head.text('expires')) > Date.now();
  const directives = new CacheDirectives(text);
  const isPublic = directives.has('public') || (directives.seconds('s-maxage') ?? 0) > 0;
  return isPublic || Number(lifetimesSaid.get(text)) > 0;
}

/** How long a browser may show a response without asking again, ms (RFC 9111 4.2): max-age, else Expires, else a tenth of
 *  the time since it was changed (4.2.2), as Chromium and Firefox have it. */
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
