// Exports `loadahead/server`: `import { createOrigin } from 'loadahead/server'`.

import '../needs-node.ts';

export type { Logger } from '../options/logger.ts';
export { coalesce } from './coalescing/coalescing.ts';
export {
  type Dictionaries,
  type DictionariesStats,
  dictionaries,
} from './dictionaries/dictionaries.ts';
export { ServerError, type ServerErrorCode, serverErrorCodes } from './errors.ts';
export {
  type GetAll,
  type GetAllOptions,
  type GetAllStats,
  getAll,
} from './get-all/get-all.ts';
export {
  clearPrefetched,
  type HintFault,
  type Hints,
  type HintsOptions,
  type HintsStats,
  hints,
  type RemoteStats,
} from './hints/index.ts';
export {
  type HoldLine,
  type HoldLineStats,
  holdLine,
} from './hold-line/hold-line.ts';
export type { ConnectionLayer, LayeredSocket, Output } from './listen/connection-socket.ts';
export type { Handler, Next, Request, Response } from './listen/handler.ts';
export type { Listening, ListenOptions } from './listen/listener.ts';
export type { TlsIdentity } from './listen/protocols.ts';
export {
  createOrigin,
  type Origin,
  type OriginStats,
} from './origin/origin.ts';
export type { OriginOptions } from './origin/origin-options.ts';
export { type StaticFilesOptions, staticFiles } from './origin/static-files.ts';
export {
  createProxy,
  type ProxyOptions,
  type ProxyStats,
  type ReverseProxy,
} from './proxy/proxy.ts';
