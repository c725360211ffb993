// Chooses the transport: our own connections, or a dispatcher given by the user.

import { DispatcherTransport } from './dispatcher-transport.ts';
import { SocketTransport } from './socket-transport.ts';
import type { Transport } from './transport.ts';
import type { TransportOptions } from './transport-options.ts';

export function createTransport(options: TransportOptions): Transport {
  const { dispatcher } = options;
  return dispatcher === null
    ? new SocketTransport(options)
    : new DispatcherTransport(dispatcher, options);
}
