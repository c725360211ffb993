// Composes what stands around the connections of createOrigin and createProxy: responses are gathered, then each handler
// that is a layer changes the connection as well. The servers name no feature, and a layer may undo what stands before it.

import { coalescing } from './coalescing/coalescing.ts';
import type { ConnectionLayer } from './listen/connection-socket.ts';
import type { Handler } from './listen/handler.ts';
import type { ServerLimits } from './listen/limits.ts';

export function layersOf(handlers: readonly Handler[], limits: ServerLimits): ConnectionLayer[] {
  return [coalescing(limits), ...handlers.flatMap(({ onConnection }) => onConnection ?? [])];
}
