// Whose request it is, for sharing out the upstream: the address of the connection, or the visitor's where it comes
// from a trusted proxy, whose connections many visitors share.

import { isIP } from 'node:net';
import { type Ipv6Prefix, visitorAddress } from '../../http/visitor-address.ts';
import { isHttp1, type Request } from '../listen/handler.ts';
import type { Asker } from '../listen/turns.ts';

/**
 * X-Forwarded-For is read from its end: the last is whom the last proxy saw. A trusted address with nothing before it
 * is shared by all whom that proxy does not name.
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
