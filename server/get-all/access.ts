// Whether a request may be answered with parts, and with which. A proxy in front of the site never sees them, so what
// it refuses by itself has to be refused here.

import type { Request } from '../listen/handler.ts';

/** Fields that proxies add. */
const marks = ['via', 'forwarded', 'x-real-ip'];

export function isForwarded({ headers, httpVersion }: Request): boolean {
  // nginx (1.22) marks nothing and speaks HTTP/1.0 to a site unless told otherwise; clients of today do not.
  if (httpVersion === '1.0') return true;
  return Object.keys(headers).some(
    (name) => marks.includes(name) || name.startsWith('x-forwarded-'),
  );
}

/** @param target Path and query; sites read paths decoded. */
export function isAllowed(target: string, allow: (path: string) => boolean): boolean {
  let path: string;
  try {
    path = decodeURIComponent(target.replace(/\?.*/s, ''));
  } catch {
    return false;
  }
  return allow(path);
}
