// The service's own end: kill -9 and SIGTERM under load, with a real process and a real SQLite file.
// 20 kills in a usual run; PREFETCHD_KILLS=100 for the promise "killed 100 times, nothing lost, nothing
// corrupt" (about two minutes). SEED=n repeats the moments of a run.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import { anySeed, randomFrom } from '../../support/random.ts';
import { Load, serve, until } from './served.ts';
import { expectWhole, visitsIn } from './visits.ts';

const kills = Number(process.env.PREFETCHD_KILLS ?? 20);
/** Beside other work; alone a second is enough. */
const backWithinMs = 20_000;

const folder = folderOfTests();

test(`killed ${kills} times under load: what the last flush had is there, hints are back`, {
  timeout: 60_000 + kills * 6000,
}, async () => {
  const seed = anySeed();
  const next = randomFrom(seed);
  const random = (below: number) => Math.floor(next() * below);
  const path = join(folder, 'killed.db');
  const store = `sqlite:${path}`;
  /** Visits that are certainly kept, and those that may be. */
  let [least, most] = [0, 0];
  for (let round = 0; round <= kills; round++) {
    const told = `SEED=${seed}, round ${round}`;
    await using served = await serve(folder, store);
    if (round > 0) {
      await until(async () => (await served.hints('/page-0')).includes('/next-0'));
      expect(performance.now() - served.startedMs, told).toBeLessThan(backWithinMs);
      const kept = await visitsIn(store);
      expect(kept, told).toBeGreaterThanOrEqual(least);
      expect(kept, told).toBeLessThanOrEqual(most);
      [least, most] = [kept, kept];
    }
    const load = new Load(served.port, { pages: 50 });
    await load.answered(50);
    const answered = load.learned;
    await served.flushed();
    // At any moment of the next flush or between two; and now and then of the first moments of the process.
    await load.answered(random(100));
    expect(await served.kill('SIGKILL'), told).toBe('SIGKILL');
    await load.stop();
    expect(answered, told).toBeGreaterThanOrEqual(50);
    least += answered;
    most += load.sent;
  }
  expectWhole(path);
});

test('SIGTERM under load: answered or turned away, none in the middle; what was answered is kept', async () => {
  for (const keepAlive of [true, false]) {
    const path = join(folder, `terminated-${keepAlive}.db`);
    const store = `sqlite:${path}`;
    await using served = await serve(folder, store);
    const load = new Load(served.port, { keepAlive, workers: 16 });
    await load.answered(300);
    expect(await served.kill('SIGTERM')).toBe(0);
    const answers = await load.stop();
    expect(answers.filter(({ isBroken }) => isBroken)).toEqual([]);
    expect([...new Set(answers.map(({ status }) => status))].sort()).toEqual([0, 200]);
    // Who got no answer was not learned: exactly what was answered is there.
    expect(await visitsIn(store)).toBe(load.learned);
    await using next = await serve(folder, store);
    expect(await next.hints('/page-0')).toEqual(['/next-0']);
    expectWhole(path);
  }
});
