// Common settings of the walks over the EPA's log and their simulation.

import { paperFetchTime } from '../../prefetchd/simulate/index.ts';
import type { EpaChoice } from './epa-site.ts';

/** Everything ten times as fast as in 1995: stays, and how long the server takes. */
export const speed = 10;
/** No stay is longer, ms. */
export const longestThinkMs = 2_500;
export const choice: EpaChoice = { clients: 100, maxPages: 25 };
/** p, w, i of the service. */
export const tuning = { threshold: 0.25, window: 4, limit: 4 };
export const userAgent = 'Mozilla/5.0 loadahead/0.1';

/** How long a response is held back: what a fetch took in 1995 (Padmanabhan 1995, 8.2.1), `speed` times as fast. */
export function delayMs(bytes: number): number {
  return (paperFetchTime.latencyMs + paperFetchTime.perByteMs * bytes) / speed;
}
