// Loads under deadlines so short that a hang shows as a failed test, and so long that none else does.

import { type LoaderOptions, loadPage, type PageLoad } from '../../loader/index.ts';
import { withConstants } from '../../options/options.ts';
import { answering, type RawHandler, type RawServer } from './raw-server.ts';

/** On a busy machine a pipeline waits a tenth of a second for the processor: that is no stall. */
export const quick: LoaderOptions = {
  ...withConstants({ pipeline: { stallMs: 500, settleMs: 250 }, timeouts: { resourceMs: 3_000 } }),
  timeouts: { responseMs: 2_000, pageMs: 4_000 },
};

/** Loads the page of a server that answers each request so. @returns the record, and the server, which is closed. */
export async function loadFrom(
  options: LoaderOptions,
  onRequest: NonNullable<RawHandler['onRequest']>,
): Promise<{ load: PageLoad; server: RawServer }> {
  await using server = await answering(onRequest);
  return { load: await loadPage(server.origin, { ...quick, ...options }), server };
}
