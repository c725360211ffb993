// Identifies the visitor for fair sharing of the upstream: the address of the connection or, for a trusted proxy,
// whose connections many visitors share, the forwarded address.

import { isIP } from 'node:net';
import { type Ipv6Prefix, visitorAddress } from '../../http/visitor-address.ts';
import { isHttp1, type Request } from '../listen/handler.ts';
import type { Asker } from '../listen/turns.ts';

/**
 * X-Forwarded-For is read from its end, the address the last proxy saw. A trusted address with nothing before it is
 * shared by all visitors which that proxy does not name.
 */
export function askerOf(
  req: Request,
  isTrusted: (address: string | undefined) => boolean,
  ipv6Prefix: Ipv6Prefix,
): Asker {
  const connection = isHttp1(req) ? req.socket : req.stream.session;
  let address = req.socket?.remoteAddress;
  const chain = String(req.headers['x-forwarded-for'] ?? '').split(',');
  let isShared = isTrusted(address);
  while (isShared) {
    const before = chain.pop()?.trim() ?? '';
    if (isIP(before) === 0) break;
    address = before;
    isShared = isTrusted(address);
  }
  const counted = visitorAddress(address ?? '', ipv6Prefix);
  return { address: counted, isShared, connection: connection ?? req };
}
