// Exports `loadahead/hints`: the middleware alone, without Express and the other servers.

import '../../needs-node.ts';

export type { Logger } from '../../options/logger.ts';
export { ServerError, type ServerErrorCode } from '../errors.ts';
export type { Handler, Next, Request, Response } from '../listen/handler.ts';
export { clearPrefetched } from './clear-prefetched.ts';
export type { HintsOptions } from './hint-options.ts';
export { type Hints, hints } from './hints.ts';
export type { HintFault, HintsStats, RemoteStats } from './site-hints.ts';
