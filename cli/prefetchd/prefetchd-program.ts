// Commands and flags of `prefetchd`, their help, and what a wrong one is answered with. Exit codes: 0
// done, 1 it could not be done (a log or store that cannot be read, no accesses), 2 bad usage.

import { Command, Option } from 'commander';
import type { Ipv6Prefix } from '../../http/visitor-address.ts';
import { PrefetchdError } from '../../prefetchd/errors.ts';
import { settingOfText } from '../../prefetchd/service/settings.ts';
import { CommandError } from '../command-error.ts';
import { amount, bytes, decimal, whole } from '../flag-values.ts';
import { portInUse } from '../port-in-use.ts';
import { runCommand } from '../run-command.ts';
import { addProxyFlags, addServeFlags, refuseArgument } from './serve-flags.ts';

export function runPrefetchd(argv: string[]): Promise<number> {
  return runCommand(argv, { name: 'prefetchd', create: createProgram, explain });
}

function explain(error: unknown): { message: string; exitCode: number } | undefined {
  if (!(error instanceof CommandError || error instanceof PrefetchdError)) return undefined;
  const message = inFlags(error.message);
  if (error instanceof CommandError) return { message, exitCode: error.exitCode };
  const isOutside = /^(?:log-unreadable|hints-unwritable|store-)/.test(error.code);
  return { message, exitCode: isOutside ? 1 : 2 };
}

/** Options of the library, by the flag that sets them. */
const flagOf: Readonly<Record<string, string>> = {
  blockBytes: '--block',
  cacheBytes: '--cache',
  flushIntervalMs: '--flush-interval',
  halfLifeMs: '--half-life',
  heldOut: '--held-out',
  ipv6Prefix: '--ipv6-prefix',
  'fetchTime.latencyMs': '--latency',
  limit: '--limit',
  maxConnections: '--max-connections',
  maxPages: '--hints-pages',
  maxTraffic: '--max-traffic',
  minClients: '--min-clients',
  origin: '--origin',
  'fetchTime.perByteMs': '--per-byte',
  port: '--port',
  simulate: '--simulate',
  socket: '--socket',
  store: '--store',
  threshold: '--threshold',
  token: '--token',
  train: '--train',
  trust: '--trust',
  window: '--window',
};

/** `cacheBytes must be ...` becomes `--cache must be ...`. */
function inFlags(message: string): string {
  return message.replace(/^[a-zA-Z.]+(?= must be )/, (name) => flagOf[name] ?? name);
}

function createProgram(setExitCode: (code: number) => void): Command {
  const program = new Command('prefetchd')
    .description(
      'Learns from accesses what a client will want next, and simulates what that is worth.',
    )
    .version('0.1.0')
    .exitOverride()
    .addHelpText(
      'after',
      `
Examples:
  prefetchd simulate access.log.gz
  prefetchd tune access.log --max-traffic 1.2
  prefetchd train access.log --store sqlite:site.db`,
    );

  withFetchTimeFlags(
    withLogFlags(
      program
        .command('simulate')
        .description('what prefetching would have given on a log (Padmanabhan 1995, chapter 8)')
        .argument('<log...>', 'access logs, plain, gzip or zstd; - is standard input'),
    ),
  )
    .option('--window <list>', 'w: accesses looked back at, 2 looks one step ahead', '2..10')
    .option('--threshold <list>', 'p: hint what is more probable than this', '0.0..1.1:0.1')
    .option('--limit <list>', 'i: hints at most, inf: no limit', '1,2,inf')
    .option('--predictor <list>', 'names with commas between, or all', 'dependency-graph')
    .option('--model <list>', 'simple: prefetches arrive at once; timed: they take time', 'simple')
    .option('--train <n>', 'accesses that only teach: a count, or a share below 1 (5/12)', amount)
    .option('--simulate <n>', 'accesses simulated after them (all)', amount)
    .option('--cache <bytes>', 'cache of each client; 512k and 4M are understood (4M)', bytes)
    .option('--block <bytes>', 'block of the cache (8k)', bytes)
    .option(
      '--no-cap-by-lead',
      'let an access save more than the time since the hint, as the paper',
    )
    .option('--hint-queries', 'hint documents with a query too, as the paper')
    .option('--min-clients <n>', 'distinct clients an arc needs before it is a hint', whole, 1)
    .option('--workers <n>', 'threads (as many as cores)', whole)
    .option('--all', 'print every point of a large sweep')
    .option('--json', 'print JSON instead of the table')
    .option('--csv <file>', 'write every point as CSV')
    .option(
      '--charts <dir>',
      "write the paper's figures 10 to 16 and more as SVG (charts/, for the whole sweep)",
    )
    .option('--no-charts', 'write none')
    .addHelpText(
      'after',
      `
A list is values and ranges with commas between: 4  1,2,inf  2..10  0.0..1.1:0.1
Exit code: 0 done, 1 the log cannot be read, holds no access, or an output
cannot be written, 2 bad usage.

Examples:
  prefetchd simulate access.log.gz                           the paper's sweep, and its charts
  prefetchd simulate access.log --window 4 --threshold 0.5 --limit 3 --model simple,timed
  prefetchd simulate access.log --predictor all --window 2,4 --model timed --csv points.csv
  prefetchd simulate access.log --model timed --fit log      times as the log tells them
  prefetchd simulate january.log.gz february.log.gz --charts charts
  prefetchd simulate access.log --train 50000 --simulate 70000 --json | jq .points`,
    )
    .action(async (logs: string[], flags, command: Command) => {
      const { simulateLog } = await import('./simulate-command.ts');
      const isWholeSweep = ['window', 'threshold', 'limit', 'predictor'].every(
        (name) => command.getOptionValueSource(name) === 'default',
      );
      setExitCode(await simulateLog(logs, { ...flags, isWholeSweep }));
    });

  withFetchTimeFlags(
    withLogFlags(
      program
        .command('tune')
        .description('pick predictor, w, p and i on a log; tell what they give on a part not seen')
        .argument('<log...>', 'access logs, plain, gzip or zstd; - is standard input'),
    ),
  )
    .option('--max-traffic <ratio>', 'bytes with prefetching / without, at most', decimal, 1.2)
    .addOption(
      new Option('--objective <name>', 'least access time, or most hints that are used')
        .choices(['latency', 'precision'])
        .default('latency'),
    )
    .option('--window <list>', 'w: values tried', '2,3,4,6,8,10')
    .option('--threshold <list>', 'p: values tried', '0.05..0.95:0.05')
    .option('--limit <list>', 'i: values tried, inf: no limit', '1,2,3,5,10')
    .option('--predictor <list>', 'names with commas between, or all', 'all')
    .option('--train <share>', 'share of the earlier part that only teaches', decimal, 0.4)
    .option('--held-out <share>', 'share of the log, its end, that only reports', decimal, 0.4)
    .option('--min-clients <n>', 'distinct clients an arc needs before it is a hint', whole, 3)
    .option('--workers <n>', 'threads (as many as cores)', whole)
    .option('--json', 'print JSON instead of text')
    .addHelpText(
      'after',
      `
latency picks the least average access time within the traffic; precision the
most used hints among settings that save at least half as much. Prefetches take
time (the timed model).
Exit code: 0 done, 1 the log cannot be read or holds no access, 2 bad usage.

Examples:
  prefetchd tune access.log.gz
  prefetchd tune access.log --max-traffic 1.05 --objective precision
  prefetchd tune access.log --predictor dependency-graph --json | jq .picked`,
    )
    .action(async (logs: string[], flags) => {
      const { tuneLog } = await import('./tune-command.ts');
      setExitCode(await tuneLog(logs, flags));
    });

  withLogFlags(
    program
      .command('train')
      .description('learn from logs into a store; what it holds already is added to')
      .argument('<log...>', 'access logs, plain, gzip or zstd; - is standard input')
      .requiredOption('--store <store>', 'sqlite:FILE, made if there is none, or redis://...'),
  )
    .option('--predictor <name>', 'that of the store, else dependency-graph')
    .option('--window <n>', 'w: accesses looked back at (that of the store, else 4)', whole)
    .option(
      '--half-life <time>',
      'an access counts half as much as one this much later; inf: all alike (7d)',
      halfLife,
    )
    .option(
      '--ipv6-prefix <bits>',
      'bits of an IPv6 address that one subscriber has: 48, 56 or 64 (48)',
      ipv6Prefix,
    )
    .addHelpText(
      'after',
      `
A log that is given twice counts twice.
Exit code: 0 done, 1 a log or the store cannot be read or written, or there is
no access, 2 bad usage.

Examples:
  prefetchd train access.log.gz --store sqlite:site.db
  prefetchd train january.log.gz february.log.gz --store sqlite:site.db --window 6`,
    )
    .action(async (logs: string[], flags) => {
      const { trainOnLogs } = await import('./train.ts');
      setExitCode(await trainOnLogs(logs, flags));
    });

  program
    .command('forget')
    .description('take a URL and all below it out of a store')
    .argument('<url>', 'as the store has it: /users/jane, or /users/ for all below')
    .requiredOption('--store <store>', 'sqlite:FILE or redis://...')
    .addHelpText(
      'after',
      `
End a service on an SQLite store first: it has the URL in memory, and learns it
again. Nodes on Redis forget it too, but learn it again when it is asked for:
start them with --deny.
Exit code: 0 done, 1 the store has no such URL, or cannot be read or written,
2 bad usage.

Example:
  prefetchd forget /users/jane --store sqlite:site.db`,
    )
    .action(async (url: string, flags) => {
      const { forgetUrl } = await import('./forget.ts');
      setExitCode(await forgetUrl(url, flags));
    });

  addServeFlags(
    program
      .command('serve')
      .description('the hint service: learns accesses and answers with hints over HTTP'),
  ).action(async (flags) => {
    const { servePrefetchd } = await import('./serve-command.ts');
    const served = servePrefetchd(flags).catch((error) => {
      throw portInUse(error) ?? error;
    });
    setExitCode(await served);
  });

  addProxyFlags(
    program
      .command('proxy')
      .description('a reverse proxy that adds hints to a site, with no line of code in it'),
  ).action(async (flags) => {
    const { serveProxy } = await import('./proxy-command.ts');
    const served = serveProxy(flags).catch((error) => {
      throw portInUse(error, '--admin-port') ?? error;
    });
    setExitCode(await served);
  });

  return program;
}

function withLogFlags(command: Command): Command {
  return command
    .option('--format <name>', 'format of the log (by its first lines)', 'auto')
    .option('--no-filter', 'keep bots, scans, monitors and administration')
    .option('--host <name>', 'only accesses to this host, where the log names it');
}

function withFetchTimeFlags(command: Command): Command {
  return command
    .option('--latency <ms>', 'time of a fetch before its first byte (1130)', decimal)
    .option('--per-byte <ms>', 'time of a fetch for each byte (0.0536)', decimal)
    .option(
      '--fit [file]',
      "fit these two to the log's own times (no file, or log), or to lines of 'bytes milliseconds'",
    );
}

function ipv6Prefix(value: string): Ipv6Prefix {
  return settingOfText('ipv6Prefix', value, refuseArgument) as Ipv6Prefix;
}

/** Of null commander makes ''. */
function halfLife(value: string): number {
  const ms = settingOfText('halfLife', value, refuseArgument) as number | null;
  return ms ?? Number.POSITIVE_INFINITY;
}
