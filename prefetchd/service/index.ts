// Exports `loadahead/prefetchd/service`: prefetchd behind HTTP.

import '../../needs-node.ts';

export type { Logger } from '../../options/logger.ts';
export type { ListenOptions, ServiceListening } from './listening.ts';
export { createService, type Service } from './service.ts';
export type { ServiceOptions } from './service-options.ts';
