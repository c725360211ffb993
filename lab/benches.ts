// All benches by name, in the order of `all`, with their default number of rounds.

import { cacheCost } from './cache-cost.ts';
import { cacheSuite } from './cache-suite.ts';
import { coalescing } from './coalescing/coalescing.ts';
import { contentBench } from './content/content.ts';
import { papersContent } from './content/papers-content.ts';
import { dictionariesBench } from './dictionaries/dictionaries.ts';
import { padmanabhan } from './padmanabhan/padmanabhan.ts';
import { padmanabhanThen } from './padmanabhan/then.ts';
import { coldLoad } from './page-loads/cold-load.ts';
import { coldStart } from './page-loads/cold-start.ts';
import { connectionsBench } from './page-loads/connections.ts';
import { emulated } from './page-loads/emulated.ts';
import { getAllBench } from './page-loads/get-all.ts';
import { hauck } from './page-loads/hauck.ts';
import { loopback } from './page-loads/loopback.ts';
import { pageFolder } from './page-loads/page-folder.ts';
import { peers } from './page-loads/peers.ts';
import { revisit } from './page-loads/revisit.ts';
import { study } from './page-loads/study.ts';
import { nielsen } from './papers/nielsen.ts';
import { tuning } from './papers/tuning.ts';
import { combinedLog, epaLog } from './paths.ts';
import { dashboardBench } from './prefetchd/dashboard.ts';
import { logBench } from './prefetchd/log.ts';
import { memoryBench } from './prefetchd/memory.ts';
import { modelBench } from './prefetchd/model.ts';
import { pagesBench } from './prefetchd/pages.ts';
import { paperBench } from './prefetchd/paper.ts';
import { poisoningBench } from './prefetchd/poisoning.ts';
import { scaleBench } from './prefetchd/scale.ts';
import { serveBench } from './prefetchd/serve.ts';
import { serveMemoryBench } from './prefetchd/serve-memory.ts';
import { middlewareBench } from './prefetchd/serve-middleware.ts';
import { proxiesBench } from './prefetchd/serve-proxies.ts';
import { simulateBench } from './prefetchd/simulate.ts';
import { tuneBench } from './prefetchd/tune.ts';
import { visitsBench } from './prefetchd/visits.ts';
import type { BenchResult } from './result.ts';
import { scannerBench } from './scan/scanner.ts';
import { tcpStudy } from './tcp-study/tcp-study.ts';
import { epaWalk } from './walk/epa-walk.ts';
import { siteWalk } from './walk/site-walk.ts';
import { visitorsBench } from './walk/visitors.ts';

export interface BenchFlags {
  /** Instead of each bench's usual number. */
  rounds: number | undefined;
  page: string;
  withPpp: boolean;
  /** Logs beside those of the repository. */
  logs: string[];
  /** Of the bench `visitors`: how many, the variants by name, and what the site and the walks are drawn from. */
  visitors: number | undefined;
  variants: readonly string[] | undefined;
  seed: number | undefined;
  /** Progress. */
  say: (line: string) => void;
}

/**
 * What `papers` runs first: group after group, the lists of a group at once, the benches of a list in turn. These benches
 * wait for a modem or for timers of TCP, or count.
 */
export const together: readonly (readonly (readonly string[])[])[] = [
  [['papers-nielsen'], ['content'], ['prefetchd-paper', 'papers-content']],
  [['tcp-study'], ['hauck']],
];

/** The benches that `papers` runs, with their rounds; in about 40 minutes together. */
export const papers: Readonly<Record<string, number>> = {
  // On LAN and WAN; over the modem one.
  'papers-nielsen': 3,
  'papers-tuning': 1,
  content: 1,
  'papers-content': 1,
  'tcp-study': 1,
  padmanabhan: 1,
  'papers-padmanabhan': 1,
  'prefetchd-paper': 1,
  hauck: 1,
  peers: 1,
};

export const benches: Record<string, (flags: BenchFlags) => Promise<BenchResult>> = {
  loopback: ({ page, rounds = 60, say }) =>
    loopback({
      page: pageFolder(page),
      warmRounds: rounds,
      coldRounds: Math.min(rounds, 10),
      say,
    }),
  'cold-start': ({ rounds = 20, say }) => coldStart({ rounds, say }),
  emulated: ({ page, rounds = 5, ...rest }) =>
    emulated({ page: pageFolder(page), rounds, ...rest }),
  'papers-nielsen': ({ rounds = 5, ...rest }) => nielsen({ rounds, ...rest }),
  'papers-tuning': ({ rounds = 3, say }) => tuning({ rounds, say }),
  revisit: ({ page, rounds = 5, ...rest }) => revisit({ page: pageFolder(page), rounds, ...rest }),
  peers: ({ page, rounds = 5, say }) => peers({ page: pageFolder(page), rounds, say }),
  'cold-load': ({ rounds = 10, say }) => coldLoad({ rounds, say }),
  connections: ({ rounds = 5, say }) => connectionsBench({ rounds, say }),
  study: ({ page, rounds = 3, ...rest }) => study({ page: pageFolder(page), rounds, ...rest }),
  'get-all': ({ page, rounds = 9, say }) => getAllBench({ page: pageFolder(page), rounds, say }),
  hauck: ({ logs, rounds = 7, say }) => hauck({ rounds, logs: [epaLog, ...logs], say }),
  padmanabhan: ({ rounds = 5, say }) => padmanabhan({ rounds, say }),
  'papers-padmanabhan': ({ rounds = 3, say }) => padmanabhanThen({ rounds, say }),
  coalescing: ({ rounds = 5, say }) => coalescing({ rounds, say }),
  'tcp-study': ({ rounds = 9, say }) => tcpStudy({ rounds, say }),
  content: ({ rounds = 5, ...rest }) => contentBench({ rounds, ...rest }),
  'papers-content': ({ rounds = 2, say }) => papersContent({ rounds, say }),
  dictionaries: ({ rounds = 5, say }) => dictionariesBench({ rounds, say }),
  'cache-cost': ({ rounds = 5, say }) => cacheCost({ rounds, say }),
  'cache-suite': ({ say }) => cacheSuite({ say }),
  scanner: ({ rounds = 10, say }) => scannerBench({ rounds, say }),
  'prefetchd-log': ({ logs, rounds = 5, say }) =>
    logBench({ logs: [epaLog, combinedLog, ...logs], lines: 1_000_000, rounds, say }),
  'prefetchd-model': ({ rounds = 3, say }) => modelBench({ rounds, say }),
  'prefetchd-memory': ({ rounds = 3, say }) => memoryBench({ rounds, say }),
  'prefetchd-serve': ({ rounds = 5, say }) => serveBench({ rounds, say }),
  'prefetchd-dashboard': ({ rounds = 5, say }) => dashboardBench({ rounds, say }),
  'prefetchd-serve-memory': ({ rounds = 3, say }) => serveMemoryBench({ rounds, say }),
  'prefetchd-middleware': ({ rounds = 5, say }) => middlewareBench({ rounds, say }),
  'prefetchd-proxy': ({ rounds = 5, say }) => proxiesBench({ rounds, say }),
  // It loads ioredis, whose class that extends String makes V8 read the characters of any text more slowly, in the scanner
  // too, from then on. So no other bench's process loads it.
  'prefetchd-stores': async ({ rounds = 3, say }) => {
    const { storesBench } = await import('./prefetchd/serve-stores.ts');
    return storesBench({ rounds, say });
  },
  'prefetchd-scale': ({ say }) =>
    scaleBench({ lengths: [1_000_000, 5_000_000, 20_000_000], resultRows: 100_000_000, say }),
  'prefetchd-simulate': ({ rounds = 3, say }) => simulateBench({ rounds, say }),
  'prefetchd-paper': ({ logs, say }) => paperBench({ log: logs[0] ?? epaLog, say }),
  'prefetchd-tune': ({ logs, say }) => tuneBench({ logs: [epaLog, combinedLog, ...logs], say }),
  'prefetchd-pages': ({ logs, say }) => pagesBench({ logs: [epaLog, combinedLog, ...logs], say }),
  'prefetchd-visits': ({ logs, say }) => visitsBench({ logs: [epaLog, combinedLog, ...logs], say }),
  'prefetchd-poisoning': ({ rounds = 1, say }) => poisoningBench({ rounds, say }),
  'walk-site': ({ rounds = 3, say }) => siteWalk({ rounds, say }),
  'walk-epa': ({ say }) => epaWalk({ say }),
  visitors: ({ visitors = 60, seed = 1, variants, say }) =>
    visitorsBench({ visitors, seed, variants, say }),
};

/** Those that read `--log`. */
export const takesLogs: ReadonlySet<string> = new Set([
  'hauck',
  'prefetchd-log',
  'prefetchd-paper',
  'prefetchd-tune',
  'prefetchd-pages',
  'prefetchd-visits',
]);
