// Composes the layers around each connection of createOrigin and createProxy, so that they name no feature: one layer
// gathers responses, and each handler with `onConnection` adds one. A layer may undo what an earlier one does.

import { coalescing } from './coalescing/coalescing.ts';
import type { ConnectionLayer } from './listen/connection-socket.ts';
import type { Handler } from './listen/handler.ts';
import type { ServerLimits } from './listen/limits.ts';

export function layersOf(handlers: readonly Handler[], limits: ServerLimits): ConnectionLayer[] {
  const gathering = limits.maxGatheredBytes > 0 ? [coalescing(limits)] : [];
  return [...gathering, ...handlers.flatMap(({ onConnection }) => onConnection ?? [])];
}
