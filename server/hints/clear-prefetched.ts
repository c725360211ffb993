// Sends `Clear-Site-Data: "prefetchCache", "prerenderCache"` (W3C Clear Site Data): a browser drops the pages that it
// fetched ahead from this site. Chromium 156 needs one value for prefetched pages and one for prerendered ones.

import { joinedLines } from '../../http/field-syntax.ts';
import { ServerError } from '../errors.ts';
import type { Response } from '../listen/handler.ts';
import type { HookedResponse } from './response-hooks.ts';

const field = 'Clear-Site-Data';
const values = ['"prefetchCache"', '"prerenderCache"'];

/**
 * Tells the browser to drop the pages that it prefetched and prerendered. It is meant for handlers that make such pages
 * out of date, such as login, logout and cart. Other values that the site gives the Clear-Site-Data field are kept.
 * @throws ServerError 'headers-sent'
 */
export function clearPrefetched(res: Response): void {
  if (res.headersSent) {
    throw new ServerError(
      'headers-sent',
      `clearPrefetched sets ${field}, but the header was sent: call it before write, end or send`,
    );
  }
  const own = joinedLines((res as HookedResponse).getHeader(field)).trim();
  const added = values.filter((value) => !own.includes(value));
  if (added.length === 0) return;
  res.setHeader(field, [...(own === '' ? [] : [own]), ...added].join(', '));
}
