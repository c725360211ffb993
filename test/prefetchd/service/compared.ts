// Visitors of a service with a holdback, walking from /a to /b: with hints /b takes 20 ms, without 300.

import type { Running } from './ask.ts';
import { access } from './ask.ts';

export interface Compared {
  visitors?: number;
  /** Only those with hints come. */
  isUneven?: boolean;
}

export async function compared(
  { prefetchd }: Running,
  { visitors = 400, isUneven = false }: Compared = {},
): Promise<void> {
  const timeMs = Date.now();
  const observed = (client: string, url: string, more: object) =>
    prefetchd.observe({
      ...{ ...access(client, url), timeMs, kind: 'document', status: 200, bytes: 0 },
      ...{ prefetch: false, ...more },
    });
  for (let visitor = 0; visitor < visitors; visitor++) {
    const client = `10.0.${visitor % 200}.${visitor % 250} Chrome`;
    const isHeldBack = prefetchd.isHeldBack(client);
    if (isUneven && isHeldBack) continue;
    prefetchd.hints({ url: '/a', client, timeMs });
    const ms = (isHeldBack ? 300 : 20) + (visitor % 20);
    const vitals = { ttfbMs: ms, fcpMs: ms, lcpMs: ms, inpMs: null };
    observed(client, '/a', { shown: true, tellsShown: true });
    observed(client, '/b', { shown: true, tellsShown: true, page: '/a' });
    observed(client, '/b', { page: '/a', vitals });
  }
}
