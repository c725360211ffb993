// A busy process does not prefetch: its event loop is kept busy for real, and let go.

import { expect, onTestFinished, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { link, loaderWith, prefetches, startSite } from './site.ts';

/** Keeps the event loop busy until the test ends, or `stop`; sockets are served in between. */
function keepBusy() {
  let isBusy = true;
  const spin = (): void => {
    const until = performance.now() + 20;
    while (performance.now() < until);
    if (isBusy) setImmediate(spin);
  };
  const stop = () => {
    isBusy = false;
  };
  onTestFinished(stop);
  spin();
  /** Resolves when it has used so much time of the processor, which others may be using, too. */
  const forMs = async (ms: number): Promise<void> => {
    const until = process.cpuUsage().user + 1000 * ms;
    while (process.cpuUsage().user < until) await new Promise((resolve) => setImmediate(resolve));
  };
  return { stop, forMs };
}

test('nothing is prefetched while the event loop is busy, and all when it is calm again', async () => {
  await using server = await startSite(link('/next'));
  const loader = loaderWith(withConstants({ prefetchMaxLoad: 0.7 }));
  const busy = keepBusy();
  // The load is measured over a quarter of a second, and looked at again after as long.
  await busy.forMs(300);
  await loader.load(`${server.origin}/`);
  await busy.forMs(600);
  expect(prefetches(server)).toEqual([]);
  busy.stop();
  await loader.idle();
  expect(prefetches(server)).toEqual(['/next']);
});
