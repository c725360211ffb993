// Settings under which a test that waits for a deadline does not wait long.

import type { LoaderOptions } from '../../../loader/options.ts';
import { withConstants } from '../../../options/options.ts';

/** On a busy machine a pipeline waits a tenth of a second for the processor: that is no stall. */
export const quick: LoaderOptions = {
  ...withConstants({ pipeline: { stallMs: 250, settleMs: 60 } }),
  timeouts: { responseMs: 1_500, resourceMs: 3_000, pageMs: 4_000 },
};
