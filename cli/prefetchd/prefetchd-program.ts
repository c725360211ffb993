// Declares commands and flags of `prefetchd` and their help. Exit codes: 0 done, 1 failed (a log or store that cannot
// be read, a log in which no request counts), 2 bad usage.

import { Command, Option } from 'commander';
import {
  objectThresholdOf,
  prefetchdDefaults,
  prefetchdTable,
} from '../../prefetchd/engine/prefetchd-options.ts';
import { PrefetchdError } from '../../prefetchd/errors.ts';
import { logTable } from '../../prefetchd/log/log-table.ts';
import { usualPort } from '../../prefetchd/service/listening.ts';
import {
  countOrShare,
  serviceSweep,
  simulateDefaults,
  simulateTable,
  tuneDefaults,
  tuneTable,
} from '../../prefetchd/simulate/simulate-options.ts';
import { keptStoreForms } from '../../prefetchd/store/store-location.ts';
import { statementTable } from '../../prefetchd/warehouse/statement.ts';
import { usualHost } from '../../process/listen-on.ts';
import { version } from '../../process/version.ts';
import { CommandError } from '../command-error.ts';
import { decimal, limits, parsed, thresholds, usualOf, whole, windows } from '../flag-values.ts';
import { addOptionFlags, inFlags, optionFlag } from '../option-flags.ts';
import { type CommandAction, runCommand } from '../run-command.ts';
import { addProxyFlags, addServeFlags } from './serve-flags.ts';
import { settingRows } from './settings.ts';

const { predictor, window: w, threshold: p, limit: i, minClients: k } = usualOf(prefetchdDefaults);
const { fetchTime } = simulateDefaults;
const { models, train } = usualOf(serviceSweep);
const tried = usualOf(tuneDefaults);
const { 0: step, [tuneDefaults.thresholds.length - 1]: last } = tuneDefaults.thresholds;
const amount = parsed(countOrShare);
const halfLife = optionFlag(prefetchdTable, 'halfLifeMs');
const serviceUrl = `http://${usualHost}:${usualPort}`;
const ofSite = 'of the site, as given to serve: its URLs are paths';
const logFiles = 'access logs, plain, gzip, zstd, ZIP, bzip2 or xz; - is standard input';

export function runPrefetchd(argv: string[]): Promise<number> {
  return runCommand(argv, { name: 'prefetchd', create: createProgram, explain });
}

function explain(error: unknown): { message: string; exitCode: number } | undefined {
  if (!(error instanceof CommandError || error instanceof PrefetchdError)) return undefined;
  const message = inFlags(error, { ...simulateTable, ...tuneTable, ...settingRows });
  if (error instanceof CommandError) return { message, exitCode: error.exitCode };
  const isOutside = /^(?:log-unreadable|hints-unwritable|store-)/.test(error.code);
  return { message, exitCode: isOutside ? 1 : 2 };
}

function createProgram(run: CommandAction): Command {
  const program = new Command('prefetchd')
    .description(
      'Predicts the next page from accesses, serves prefetch hints, and simulates their benefit.',
    )
    .version(version)
    .exitOverride()
    .addHelpText(
      'after',
      `
Examples:
  prefetchd simulate access.log.gz
  prefetchd tune access.log --max-traffic 1.2
  prefetchd train access.log --store sqlite:site.db
  prefetchd serve --store sqlite:site.db`,
    );

  const onLogs = (name: string, description: string) =>
    withLogFlags(program.command(name).description(description).argument('<log...>', logFiles));

  withFetchTimeFlags(
    onLogs('simulate', 'what hints would have done on a log: clicks hinted, prefetches in vain'),
  )
    .option(
      '--as-paper',
      "the paper's predictor, rules, figures and sweep (Padmanabhan 1995, chapter 8)",
    )
    .option(
      '--window <list>',
      `w: lookahead window in accesses (${w}; as the paper 2..10)`,
      windows,
    )
    .option(
      '--threshold <list>',
      `p: hint URLs with a probability above this (as served: pages ${p}, objects ${objectThresholdOf(prefetchdDefaults.threshold)}; as the paper 0.0..1.1:0.1)`,
      thresholds,
    )
    .option(
      '--limit <list>',
      `i: most hints per response, inf: no limit (${i}; as the paper 1,2,inf)`,
      limits,
    )
    .option(
      '--predictor <list>',
      `comma-separated names, or all (${predictor}; as the paper dependency-graph)`,
    )
    .option('--model <list>', `simple: prefetches take no time; timed: they do (${models})`)
    .option(
      '--train <n>',
      `accesses to train on: a count, or a share below 1 (${train}; as the paper 5/12)`,
      amount,
    )
    .option('--simulate <n>', 'accesses simulated after them (all)', amount)
    .addOption(optionFlag(simulateTable, 'cacheBytes'))
    .addOption(optionFlag(simulateTable, 'blockBytes'))
    .option('--cap-by-lead', 'an access saves at most the time since its hint (not as the paper)')
    .option('--no-cap-by-lead', 'it may save more, as the paper has it')
    .option('--hint-queries', 'with --as-paper: also hint documents with a query')
    .option(
      '--min-clients <n>',
      `k: distinct clients an arc needs to be hinted (${k}; as the paper 1)`,
      whole,
    )
    .option('--workers <n>', 'threads (one per core)', whole)
    .option('--all', 'print all points of a large sweep')
    .option('--json', 'print JSON instead of the table')
    .addHelpText(
      'after',
      `
A list has values and ranges: 4  1,2,inf  2..10  0.0..1.1:0.1
Exit code: 0 done, 1 the log is unreadable or has no access, or an output cannot
be written, 2 bad usage.

Examples:
  prefetchd simulate access.log.gz
  prefetchd simulate access.log --threshold 0.1..0.5:0.1 --limit 1,3,5
  prefetchd simulate access.log --as-paper
  prefetchd simulate access.log --as-paper --predictor all --json
  prefetchd simulate access.log --model timed --fit log --json | jq .points`,
    )
    .action(run(async () => (await import('./simulate-command.ts')).simulateLog));

  withFetchTimeFlags(
    onLogs('tune', 'choose predictor, w, p and i on a log; report them on its unseen end'),
  )
    .addOption(optionFlag(tuneTable, 'maxTraffic'))
    .addOption(optionFlag(tuneTable, 'objective'))
    .option('--window <list>', `w: values to try (${tried.windows})`, windows)
    .option('--threshold <list>', `p: values to try (${step}..${last}:${step})`, thresholds)
    .option('--limit <list>', `i: values to try, inf: no limit (${tried.limits})`, limits)
    .option('--predictor <list>', 'comma-separated names, or all (all)')
    .addOption(optionFlag(tuneTable, 'train'))
    .addOption(optionFlag(tuneTable, 'heldOut'))
    .option('--min-clients <n>', `k: distinct clients an arc needs to be hinted (${k})`, whole)
    .option('--workers <n>', 'threads (one per core)', whole)
    .option('--json', 'print JSON instead of text')
    .addHelpText(
      'after',
      `
pages chooses the setting that hints most of people's clicks to another page,
less a quarter of the hints in vain, while hinted pages that nobody opens add no
more than --max-traffic to all bytes that people are sent; all chooses the one
with the least access time of pages and what they embed, if prefetches take
time. The rules are those of the service.
Exit code: 0 done, 1 the log is unreadable or has no access, 2 bad usage.

Examples:
  prefetchd tune access.log.gz
  prefetchd tune access.log --max-traffic 1.05
  prefetchd tune access.log --predictor dependency-graph --json | jq .picked`,
    )
    .action(run(async () => (await import('./tune-command.ts')).tuneLog));

  onLogs('train', 'learn from logs into a new or existing store')
    .requiredOption('--store <store>', `${keptStoreForms}; a file is created if absent`)
    .addOption(optionFlag(prefetchdTable, 'predictor'))
    .addOption(optionFlag(prefetchdTable, 'window'))
    .addOption(halfLife)
    .addHelpText(
      'after',
      `
A log given twice counts twice.
Exit code: 0 done, 1 a log or the store is unusable, or there is no access,
2 bad usage.

Examples:
  prefetchd train access.log.gz --store sqlite:site.db
  prefetchd train january.log.gz february.log.gz --store sqlite:site.db`,
    )
    .action(run(async () => (await import('./train.ts')).trainOnLogs));

  const sql = program
    .command('sql')
    .description('print the SQL by which a warehouse learns from its logs, for prefetchd import');
  addOptionFlags(sql, statementTable, ...Object.keys(statementTable))
    .option('--window <n>', `w: lookahead window in accesses (${w})`, whole)
    .addOption(halfLife)
    .addHelpText(
      'after',
      `
The table or view has a row for each access that may be learned, as train reads
a log: GETs of people, answered with 2xx or 304, with normalised URLs.
Exit code: 0 done, 2 bad usage.

Examples:
  prefetchd sql --dialect clickhouse --table web.visits --time ts >learn.sql
  clickhouse-client --format TSVWithNames <learn.sql |
    prefetchd import - --store sqlite:site.db
  prefetchd sql --dialect duckdb --table visits --client ip --time at:ms --order line`,
    )
    .action(run(async () => (await import('./warehouse.ts')).printStatement));

  program
    .command('import')
    .description('add what a warehouse learned to a new or existing store')
    .argument(
      '<file>',
      'result of the statement of prefetchd sql, as Parquet (.parquet), or TSV or JSON lines, also packed; - is standard input',
    )
    .requiredOption('--store <store>', `${keptStoreForms}; a file is created if absent`)
    .option('--id <name>', 'name of the import, which counts once (digest of what is imported)')
    .option('--window <n>', `w of the statement (as the store was made, else ${w})`, whole)
    .addOption(halfLife)
    .option('--origin <origin>', ofSite)
    .addHelpText(
      'after',
      `
Services that use the store hint from it at their next flush. A file with a
fault is refused as a whole, with the number of the line.
Exit code: 0 done, also if it was imported before; 1 the file or the store is
unusable, 2 bad usage.

Examples:
  prefetchd import learned.tsv --store sqlite:site.db
  prefetchd import learned.jsonl.gz --store redis://127.0.0.1 --id 2026-11-27`,
    )
    .action(run(async () => (await import('./warehouse.ts')).importResult));

  program
    .command('forget')
    .description('remove a URL and everything below it from a store')
    .argument('<url>', 'path, such as /users/jane; /users/ removes everything below')
    .requiredOption('--store <store>', keptStoreForms)
    .option('--origin <origin>', ofSite)
    .addHelpText(
      'after',
      `
Services that use the store forget it too, at their next flush, with all that
they learned since the last one; but they learn it from the next access: start
them with --deny.
Exit code: 0 done, 1 no such URL, or the store is unusable, 2 bad usage.

Example:
  prefetchd forget /users/jane --store sqlite:site.db`,
    )
    .action(run(async () => (await import('./forget.ts')).forgetUrl));

  withLogFlags(
    program
      .command('export')
      .description(
        'write what was learned as speculation rules, for a static host or a CDN; or accesses for a warehouse',
      )
      .argument('[log...]', logFiles),
  )
    .option('--store <store>', keptStoreForms)
    .option('--rules <dir>', 'folder of its own for the files, in the root folder of the site')
    .option(
      '--accesses <file>',
      'what train would learn of the logs, as Parquet (.parquet) or JSON lines',
    )
    .option('--origin <origin>', ofSite)
    .option('--deny <words...>', 'words or paths that are not named, as given to serve')
    .addHelpText(
      'after',
      `
Writes a file of rules for each page; _headers, by which Netlify, Cloudflare Pages
and others name them in responses, and rules.map, by which nginx does; and all.json,
one set of rules for all pages: links to what visitors open most.
--accesses writes the accesses that may be learned, with pseudonyms of a day for
clients, and prints the command for their SQL.
Exit code: 0 done, 1 nothing is known, or a log or the store is unusable, 2 bad
usage.

Examples:
  prefetchd export --store sqlite:site.db --rules public/prefetch
  prefetchd export --accesses visits.parquet access.log.gz`,
    )
    .action(run(async () => (await import('./export-rules.ts')).exportRules));

  program
    .command('report')
    .description('what hints are worth, as a service with --holdback measured it')
    .option('--url <url>', 'address of the service', serviceUrl)
    .addOption(new Option('--token <token>', 'token of the service').env('PREFETCHD_TOKEN'))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Visitors held back get no hints; the report compares them with the others.
Exit code: 0 done, 1 no service, or nobody is held back, 2 bad usage.

Example:
  prefetchd report --url http://127.0.0.1:7733`,
    )
    .action(run(async () => (await import('./report-command.ts')).showReport));

  addServeFlags(
    program
      .command('serve')
      .description('the hint service: learns accesses and answers with hints over HTTP'),
  ).action(run(async () => (await import('./serve-command.ts')).servePrefetchd));

  addProxyFlags(
    program
      .command('proxy')
      .description('a reverse proxy that adds hints to any site')
      .argument('[upstream]', 'the site, as --upstream'),
  ).action(run(async () => (await import('./proxy-command.ts')).serveProxy));

  return program;
}

function withLogFlags(command: Command): Command {
  return command
    .optionsGroup('Log options:')
    .addOption(optionFlag(logTable, 'format'))
    .addOption(optionFlag(logTable, 'filter'))
    .option('--host <name>', 'only accesses to this host, if the log names hosts; each: of all')
    .optionsGroup('Options:');
}

function withFetchTimeFlags(command: Command): Command {
  return command
    .optionsGroup('Time of a fetch:')
    .option('--latency <ms>', `time of a fetch to its first byte (${fetchTime.latencyMs})`, decimal)
    .option('--per-byte <ms>', `time of a fetch per byte (${fetchTime.perByteMs})`, decimal)
    .option(
      '--fit [file]',
      "fit both to the times in the log (no file), or to a file of 'bytes milliseconds' lines",
    )
    .optionsGroup('Options:');
}
