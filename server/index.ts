// The public face: `import { createOrigin } from 'loadahead/server'`.

export { coalesce } from './coalesce.ts';
export type { CoalesceOptions } from './coalescing-socket.ts';
export { ServerError, type ServerErrorCode, serverErrorCodes } from './errors.ts';
export type { Handler, Next, Request, Response } from './handler.ts';
export { defaultLimits, type Limits } from './limits.ts';
export {
  createOrigin,
  type Listening,
  type ListenOptions,
  type Origin,
  type OriginCounts,
  type OriginOptions,
} from './origin.ts';
export type { TlsIdentity } from './protocols.ts';
export { type StaticFilesOptions, staticFiles } from './static-files.ts';
