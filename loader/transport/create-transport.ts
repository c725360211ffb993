// Who moves the requests: our own connections, or the dispatcher that a user gave.

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
