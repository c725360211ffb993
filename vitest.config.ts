import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * Commands in processes of their own, browsers, crashes, real logs, every command of the documents: half of the time in
 * one file of ten. `npm test` leaves them out, `npm run test:all` does not.
 */
const long = [
  'browser/*',
  'cli/prefetchd/train',
  'docs/audit',
  'docs/guides',
  'e2e/*',
  'fixtures/regenerate',
  'loader/audit/microscape',
  'loader/cache/store-faults/damage',
  'loader/faults/endless-and-slow',
  'loader/recovery/limits-per-connection',
  'prefetchd/dashboard/dashboard',
  'prefetchd/dashboard/dashboard-figures',
  'prefetchd/engine/forget',
  'prefetchd/engine/graph-sync',
  'prefetchd/model/caps',
  'prefetchd/faults/crowd',
  'prefetchd/faults/ending',
  'prefetchd/faults/process',
  'prefetchd/faults/redis',
  'prefetchd/faults/site-kills',
  'prefetchd/faults/sqlite',
  'prefetchd/holdback/simulation',
  'prefetchd/service/command',
  'prefetchd/service/*-command',
  'prefetchd/simulate/command',
  'prefetchd/simulate/command-input',
  'prefetchd/simulate/sweep',
  'prefetchd/simulate/tune',
  'prefetchd/store/sqlite/damage',
  'prefetchd/store/sqlite/faults',
  'prefetchd/store/sqlite/kill',
  'repository/examples',
  'server/proxy/fairness',
].map((name) => `test/${name}.test.ts`);

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Commands that tests start need not compile what another did.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled') },
    // Tests wait more than they compute.
    maxWorkers: availableParallelism() + 1,
    projects: [
      { extends: true, test: { name: 'usual', include: ['test/**/*.test.ts'], exclude: long } },
      { extends: true, test: { name: 'long', include: long, testTimeout: 120_000 } },
    ],
  },
});
