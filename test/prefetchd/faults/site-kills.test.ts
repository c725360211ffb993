// A prefetchd that is ended under load, again and again, in turn by kill -9 and SIGTERM, while a site asks it for each
// page: every request of the site is answered as without it, and hints are back after each start. 6 times in
// a usual run; PREFETCHD_KILLS=100 for more. SEED=n repeats the moments of a run.

import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { freePort } from '../../support/command.ts';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import { anySeed, randomFrom } from '../../support/random.ts';
import { hasHint, learnt, type Page, type Site, siteWith } from './remote-site.ts';
import { serve, until } from './served.ts';

const kills = Number(process.env.PREFETCHD_KILLS ?? 6);
const workers = 8;
/** A visitor looks at a page for so long, ms: a site that is busy gives no hints. */
const pauseMs = 10;

const folder = folderOfTests();

/** Visitors who ask one page after the other until they are stopped. */
class Visitors {
  readonly pages: (Page & { path: string })[] = [];
  readonly errors: unknown[] = [];
  readonly #site: Site;
  readonly #all: Promise<void>[];
  #isStopped = false;

  constructor(site: Site) {
    this.#site = site;
    this.#all = Array.from({ length: workers }, (_, n) => this.#visit(n));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#all);
  }

  async #visit(n: number): Promise<void> {
    for (let asked = n; !this.#isStopped; asked += workers) {
      const path = `/page-${asked % 50}`;
      try {
        this.pages.push({ path, ...(await this.#site.get(path)) });
      } catch (error) {
        this.errors.push(error);
      }
      await wait(pauseMs);
    }
  }
}

test(`ended ${kills} times under load of a site: each of its requests is answered`, {
  timeout: 60_000 + kills * 6000,
}, async () => {
  const seed = anySeed();
  const next = randomFrom(seed);
  const random = (below: number) => Math.floor(next() * below);
  const port = await freePort();
  const store = `sqlite:${join(folder, 'killed.db')}`;
  await using site = await siteWith(`http://127.0.0.1:${port}`);
  const visitors = new Visitors(site);
  for (let round = 0; round < kills; round++) {
    const told = `SEED=${seed}, round ${round}`;
    await using served = await serve(folder, store, ['--port', `${port}`]);
    if (round === 0) {
      await learnt(site);
      await served.flushed();
    } else await until(async () => hasHint(await site.get('/a')));
    const { length } = visitors.pages;
    const more = 10 + random(200);
    await until(async () => visitors.pages.length >= length + more);
    const signal = round % 2 === 0 ? 'SIGKILL' : 'SIGTERM';
    expect(await served.kill(signal), told).toBe(signal === 'SIGKILL' ? signal : 0);
    // Some pages while nobody is there.
    const without = visitors.pages.length;
    await until(async () => visitors.pages.length >= without + 20);
  }
  await visitors.stop();
  expect(visitors.errors, `SEED=${seed}`).toEqual([]);
  const wrong = visitors.pages.filter(
    ({ status, body, path }) => status !== 200 || body !== `page ${path}`,
  );
  expect(wrong, `SEED=${seed}`).toEqual([]);
  expect(visitors.pages.length).toBeGreaterThan(kills * 30);
  const { faults } = site.middleware.stats();
  expect([faults.request, faults.head]).toEqual([undefined, undefined]);
});
