// A site whose prefetchd is down, stopped, or answers garbage: every request is answered as without it, within the
// deadline and a bound far above what a busy machine adds; and hints come back when it does.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../../support/command.ts';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import { boundMs, deadlineMs, expectAsWithout, hasHint, learnt, siteWith } from './remote-site.ts';
import { serve, until } from './served.ts';

const backWithinMs = 5000;

const folder = folderOfTests();

test.each(['SIGKILL', 'SIGTERM', 'SIGSTOP'] as const)(
  '%s while it serves: nobody waits, and hints are back within 5 s',
  { timeout: 60_000 },
  async (signal) => {
    const port = await freePort();
    const store = `sqlite:${join(folder, `${signal}.db`)}`;
    await using served = await serve(folder, store, ['--port', `${port}`]);
    await using site = await siteWith(served.url);
    await learnt(site);
    await served.flushed();
    const hundred = () => Promise.all(Array.from({ length: 100 }, () => site.get('/other')));
    const asked = hundred();
    served.child.kill(signal);
    if (signal !== 'SIGSTOP') await served.ended;
    const during = [...(await asked), ...(await hundred())];
    await expectAsWithout(site);
    for (const { status, body, took } of during) {
      expect([status, body]).toEqual([200, 'page /other']);
      expect(took).toBeLessThan(deadlineMs + boundMs);
    }
    if (signal === 'SIGSTOP') served.child.kill('SIGCONT');
    await using _again =
      signal === 'SIGSTOP' ? served : await serve(folder, store, ['--port', `${port}`]);
    const startMs = performance.now(); // it listens again
    await until(async () => hasHint(await site.get('/a')));
    expect(performance.now() - startMs).toBeLessThan(backWithinMs);
    expect(site.middleware.stats().faults.request).toBeUndefined();
  },
);
