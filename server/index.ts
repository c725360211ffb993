// Public API: `import { createOrigin } from 'loadahead/server'`.

import '../needs-node.ts';

export { ServerError, type ServerErrorCode, serverErrorCodes } from './errors.ts';
export { clearPrefetched } from './hints/clear-prefetched.ts';
export type { HintFault, HintsOptions, SpeculationRulesDocument } from './hints/hint-options.ts';
export { type Hints, type HintsStats, hints } from './hints/hints.ts';
export type { RemoteStats } from './hints/source.ts';
export { coalesce } from './listen/coalesce.ts';
export type { CoalesceOptions } from './listen/coalescing-socket.ts';
export type { Handler, Next, Request, Response } from './listen/handler.ts';
export { defaultLimits, type Limits } from './listen/limits.ts';
export type { Listening, ListenOptions } from './listen/listener.ts';
export type { TlsIdentity } from './listen/protocols.ts';
export {
  createOrigin,
  type Origin,
  type OriginOptions,
  type OriginStats,
} from './origin/origin.ts';
export { type StaticFilesOptions, staticFiles } from './origin/static-files.ts';
export type { ForwardedMode } from './proxy/forwarded.ts';
export {
  createProxy,
  type ProxyOptions,
  type ProxyStats,
  type ReverseProxy,
} from './proxy/proxy.ts';
export type { ProxyLimits } from './proxy/upstream-limits.ts';
