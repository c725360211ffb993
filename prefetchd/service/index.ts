// Exports `loadahead/prefetchd/service`: prefetchd behind HTTP.

import '../../needs-node.ts';

export type { Listening, ListenOptions } from './listening.ts';
export { createService, type Service } from './service.ts';
export type { ServiceLog, ServiceOptions } from './service-options.ts';
