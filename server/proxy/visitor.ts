// Identifies the visitor for fair sharing of the upstream: the address of the connection or, for a trusted proxy,
// whose connections many visitors share, the forwarded address.

import { forwardedClient } from '../../http/forwarded.ts';
import { visitorAddress } from '../../http/visitor-address.ts';
import { isHttp1, type Request } from '../listen/handler.ts';
import type { Asker } from '../listen/turns.ts';

/**
 * Returns who asks. A trusted proxy that forwards no address is one asker, shared by all visitors whom it does not
 * name.
 */
export function askerOf(req: Request, isTrusted: (address: string | undefined) => boolean): Asker {
  const connection = isHttp1(req) ? req.socket : req.stream.session;
  const { address, isProxy } = forwardedClient(req.headers, req.socket?.remoteAddress, isTrusted);
  const counted = visitorAddress(address ?? '');
  return { address: counted, isShared: isProxy, connection: connection ?? req };
}
