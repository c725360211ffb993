// The public face: `import { createOrigin } from 'loadahead/server'`.

import '../needs-node.ts';

export { coalesce } from './coalesce.ts';
export type { CoalesceOptions } from './coalescing-socket.ts';
export { ServerError, type ServerErrorCode, serverErrorCodes } from './errors.ts';
export type { Handler, Next, Request, Response } from './handler.ts';
export type { HintFault, HintsOptions, SpeculationRulesDocument } from './hint-options.ts';
export type { RemoteCounts } from './hint-source.ts';
export { type Hints, type HintsCounts, hints } from './hints.ts';
export { defaultLimits, type Limits } from './limits.ts';
export type { Listening, ListenOptions } from './listener.ts';
export {
  createOrigin,
  type Origin,
  type OriginCounts,
  type OriginOptions,
} from './origin.ts';
export type { TlsIdentity } from './protocols.ts';
export type { ForwardedMode } from './proxy/forwarded.ts';
export type { ProxyLimits } from './proxy/limits.ts';
export { createProxy, type ProxyCounts, type ProxyOptions, type ReverseProxy } from './proxy.ts';
export { type StaticFilesOptions, staticFiles } from './static-files.ts';
