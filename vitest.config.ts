import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * Faults, floods and fuzzing, and all cases of a kind; commands in processes of their own, browsers, crashes, real logs,
 * every command of the documents. `npm test` leaves them out, `npm run test:all` does not.
 */
const long = [
  'browser/*',
  'cli/prefetchd/train',
  'docs/audit',
  'docs/guides',
  'e2e/*',
  'fixtures/sites',
  'fuzz/*',
  'loader/fetch/mixed',
  'loader/audit/microscape',
  'loader/cache/junk',
  'loader/cache/store-faults/damage',
  'loader/faults/*',
  'loader/get-all/faults',
  'loader/page/saved-pages',
  'loader/prefetch/faults',
  'loader/recovery/*',
  'loader/scan/linear-work',
  'loader/scan/saved-pages',
  'loader/trials/trials',
  'prefetchd/dashboard/dashboard',
  'prefetchd/dashboard/dashboard-figures',
  'prefetchd/engine/forget',
  'prefetchd/engine/graph-sync',
  'prefetchd/faults/*',
  'prefetchd/holdback/simulation',
  'prefetchd/log/access-of-line',
  'prefetchd/log/formats/index',
  'prefetchd/model/caps',
  'prefetchd/service/*-command',
  'prefetchd/service/command',
  'prefetchd/service/faults',
  'prefetchd/simulate/as-paper',
  'prefetchd/simulate/command',
  'prefetchd/simulate/command-input',
  'prefetchd/simulate/service-advisor',
  'prefetchd/simulate/sweep',
  'prefetchd/simulate/tune',
  'prefetchd/store/redis/faults',
  'prefetchd/warehouse/*',
  'prefetchd/store/redis/loss',
  'prefetchd/store/sqlite/damage',
  'prefetchd/store/sqlite/faults',
  'prefetchd/store/sqlite/sharing',
  'repository/examples',
  'repository/public-surface',
  'server/dictionaries/slow-readers',
  'server/get-all/faults',
  'server/hints/any-site',
  'server/hints/by-script',
  'server/hints/first-askers',
  'server/hints/forged-visits',
  'server/hints/in-front',
  'server/hints/pictures',
  'server/hints/private-urls',
  'server/hints/remote-deadline',
  'server/hints/remote-failing',
  'server/hints/who-gets-none',
  'server/listen/http2-priority',
  'server/proxy/differential',
  'server/proxy/fairness',
  'server/proxy/nginx',
  'server/proxy/smuggling',
].map((name) => `test/${name}.test.ts`);

/** What judges the memory of its process or its processor time needs a process of its own. */
const measuring = [
  'loader/fetch/bodies',
  'loader/response/content-coding',
  'loader/scan/image-size',
  'prefetchd/log/read-log',
  'server/hold-line/hold-line',
  'server/listen/dripping-headers',
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
      {
        extends: true,
        test: {
          name: 'usual',
          include: ['{test,lab}/**/*.test.ts'],
          exclude: [...long, ...measuring, '**/node_modules/**'],
          // Files share processes, so what they test is imported a few times instead of once a file.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'measuring', include: measuring } },
      { extends: true, test: { name: 'long', include: long, testTimeout: 120_000 } },
    ],
  },
});
