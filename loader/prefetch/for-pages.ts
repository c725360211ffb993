// Is the answer that a prefetch got the one that a page would have got?

import { fieldValue, type HeaderPair } from '../../http/header-pairs.ts';
import type { ResponseHead } from '../transport/exchange.ts';

/** Not an answer that only a prefetch gets. */
export function isForPages({ status, headers }: ResponseHead): boolean {
  return status === 200 && !variesByPurpose(headers);
}

/** A page's request has no Sec-Purpose: it would have got another answer (RFC 9111 4.1). */
function variesByPurpose(headers: readonly HeaderPair[]): boolean {
  return /(?:^|[\s,])sec-purpose(?:$|[\s,])/i.test(fieldValue(headers, 'vary'));
}
