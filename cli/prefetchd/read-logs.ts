// Reads logs for a command, with progress on a terminal; warns of signs that a log was misread although each line fits
// the format, and reports which lines were left out and why.

import { basename, resolve } from 'node:path';
import { formatCount, plural } from '../../loader/report/units.ts';
import { withConstants } from '../../options/options.ts';
import type { Access } from '../../prefetchd/access.ts';
import { PrefetchdError } from '../../prefetchd/errors.ts';
import {
  type LineDropReason,
  type LogStatistics,
  readLog,
  shownText,
} from '../../prefetchd/log/index.ts';
import { type Trace, TraceBuilder } from '../../prefetchd/simulate/trace.ts';
import { CommandError } from '../command-error.ts';
import { duration, progressLine } from '../progress.ts';

export interface LogFlags {
  format?: string;
  filter: boolean;
  host?: string;
  asPaper?: boolean;
}

/** Value of `--host` in place of a name: the lines of all hosts are read, each host as a site. */
export const eachHost = 'each';

export interface LogTrace {
  trace: Trace;
  /** Lines that say how the logs were read, what was read, and what was left out. */
  description: string[];
}

/** Reads logs for a simulation. @throws CommandError if they have no access (a GET with 2xx or 304) */
export async function readTrace(logs: string[], flags: LogFlags): Promise<LogTrace> {
  const builder = new TraceBuilder({ asPaper: flags.asPaper === true });
  const statistics = await readAccesses(logs, flags, (batch) => {
    for (const access of batch) builder.add(access);
  });
  const many = sitesIn(statistics);
  if (many !== null && flags.host === undefined) {
    say(`lines of ${many} are replayed together; --host NAME takes one`);
  }
  if (builder.count === 0) throw noAccess(logs, statistics, builder.prefetches);
  const trace = builder.build();
  const name = logs.length === 1 ? basename(logs[0] as string) : `${logs.length} logs`;
  const read = `${plural(builder.count, 'access', 'accesses')} in ${plural(statistics.lines, 'line')}`;
  const found = `${plural(trace.clients.length, 'client')}, ${plural(trace.files.length, 'URL')}`;
  return {
    trace,
    description: [
      ...describeLayouts(statistics),
      `${name}: ${read}${without(statistics)}; ${found}`,
    ],
  };
}

/** Reads logs to their end, with progress and warnings on the error stream. @param normalise returns the
 *  normalised URL for a URL in the log, or null to drop the line @throws CommandError, PrefetchdError */
export async function readAccesses(
  logs: string[],
  flags: LogFlags,
  take: (batch: readonly Access[]) => void,
  normalise?: (url: string) => string | null,
): Promise<LogStatistics> {
  checkNames(logs);
  const progress = progressLine('reading');
  const reading = readLog(logs, {
    format: flags.format,
    filter: flags.filter,
    ...withConstants({ asPaper: flags.asPaper === true }),
    ...(normalise !== undefined && { normalise }),
    host: flags.host === eachHost ? null : (flags.host ?? null),
    onProgress: ({ lines, bytesRead, bytesTotal }) =>
      progress.show(bytesTotal && bytesRead / bytesTotal, plural(lines, 'line')),
  });
  const clients = new ClientsOfLog();
  try {
    for await (const batch of reading) {
      for (const access of batch) clients.see(access);
      take(batch);
    }
  } catch (error) {
    // A file in no known log format ends the command with exit code 1; a wrong name after --format is a usage error.
    if (!(error instanceof PrefetchdError && error.code === 'unknown-log-format')) throw error;
    throw new CommandError(error.message, 1, { cause: error });
  } finally {
    progress.clear();
  }
  warn(reading.statistics, flags);
  for (const text of clients.warnings()) say(text);
  return reading.statistics;
}

/** Makes the error for logs without an access (a GET with 2xx or 304): it says what they contain and what to do. */
export function noAccess(
  logs: readonly string[],
  statistics: LogStatistics,
  prefetches = 0,
): CommandError {
  const { lines, dropped, unparsed, files } = statistics;
  const reasons = reasonsOf(statistics, { prefetch: prefetches });
  const found = files.every(({ empty }) => empty)
    ? logs.length === 1
      ? 'it is empty'
      : 'they are empty'
    : [plural(lines, 'line'), ...reasons].join(', ');
  const most = Object.entries(dropped).reduce((a, b) => (b[1] > a[1] ? b : a));
  const advice = most[1] > unparsed ? `; ${adviceFor[most[0] as LineDropReason]}` : '';
  const layouts = describeLayouts(statistics).map((line) => `\n${line}`);
  return new CommandError(
    `no access in ${logs.join(', ')}: ${found}${advice}${layouts.join('')}`,
    1,
  );
}

type Counts = Readonly<Record<string, number>>;

/** Says why lines or accesses were left out, and how many: `bot 3,060`. */
function reasonsOf({ dropped, unparsed }: LogStatistics, notLearned: Counts = {}): string[] {
  const all = [dropped, { unreadable: unparsed }, notLearned].flatMap(Object.entries<number>);
  return [...Map.groupBy(all, ([reason]) => reason)]
    .map(([reason, each]) => [reason, each.reduce((sum, [, count]) => sum + count, 0)] as const)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${reason} ${formatCount(count)}`);
}

/** Says ` (left out: bot 3,060)`; '' for nothing. @param notLearned Accesses that were not learned, by reason */
export function without(statistics: LogStatistics, notLearned?: Counts): string {
  const reasons = reasonsOf(statistics, notLearned);
  return reasons.length === 0 ? '' : ` (left out: ${reasons.join(', ')})`;
}

const toKeepThem = '--no-filter keeps these lines';
const whatCounts = 'an access is a GET that was answered with 2xx or 304';
const adviceFor: Readonly<Record<LineDropReason, string>> = {
  'no-request': 'no line asks for a page',
  'other-host': 'no line is of the host of --host',
  monitor: toKeepThem,
  bot: toKeepThem,
  scan: toKeepThem,
  admin: toKeepThem,
  method: whatCounts,
  status: whatCounts,
  private: 'answers for one person are not learned: Set-Cookie, private, no-store, Authorization',
  noindex: 'pages with X-Robots-Tag: noindex are never hinted',
  'not-page': 'downloads, feeds and parts (206) are no pages',
};

/** Says in words how the files were read: each format found, with the places of its fields and a sample line. */
export function describeLayouts({ files }: LogStatistics): string[] {
  const told = new Set<string>();
  const lines: string[] = [];
  for (const { format, fields, example } of files.flatMap(({ layouts }) => layouts)) {
    const name = fields === undefined ? format : `${format}, ${fields}`;
    if (told.has(name) || example === undefined) continue;
    const { address, method, url, host, status, userAgent, referer } = example.line;
    const site = host === undefined ? '' : ` of ${host}`;
    const agent =
      userAgent === undefined ? 'no user agent in the log' : `agent ${quote(userAgent)}`;
    told.add(name);
    lines.push(
      `read as ${name}; the first line: client ${shownText(address)}, ${shownText(`${method} ${url}`)}${site}, status ${status}, ${agent}${referer ? `, from ${quote(referer)}` : ''}`,
    );
  }
  return lines;
}

function quote(text: string): string {
  return `"${shownText(text.length > 60 ? `${text.slice(0, 60)}...` : text)}"`;
}

const nearlyAll = 0.8;
const fewestAccesses = 100;

/** Finds logs in which one client, perhaps a proxy, has nearly all accesses, or nearly all URLs are absolute. */
class ClientsOfLog {
  #accesses = 0;
  #absolute = 0;
  readonly #ofAddress = new Map<string, number>();

  see({ client, url }: Access): void {
    this.#accesses++;
    if (!url.startsWith('/')) this.#absolute++;
    const address = client.split(' ', 1)[0] as string;
    this.#ofAddress.set(address, (this.#ofAddress.get(address) ?? 0) + 1);
  }

  warnings(): string[] {
    if (this.#accesses < fewestAccesses) return [];
    const isNearlyAll = (count: number) => count >= nearlyAll * this.#accesses;
    const [frequent] = [...this.#ofAddress].find(([, count]) => isNearlyAll(count)) ?? [];
    return [
      ...(frequent === undefined
        ? []
        : [
            `nearly all accesses are of one client, ${frequent}: a proxy's address, if visitors come through one. Log X-Forwarded-For, or name the field of the client with --format`,
          ]),
      ...(isNearlyAll(this.#absolute)
        ? ['nearly all URLs are absolute; --host NAME takes one site, with paths']
        : []),
    ];
  }
}

/** A host with at least this share of the lines is a site, and not an invention of scanners. */
const manyLines = 0.05;

/** Names the sites of a log that has several, with their lines: `a.example (120 lines), b.example (90 lines)`; null if
 *  there is only one. */
export function sitesIn({ hosts, lines }: LogStatistics): string | null {
  const sites = new Map<string, number>();
  for (const [host, count] of hosts) {
    const name = host.replace(/^www\./, '');
    sites.set(name, (sites.get(name) ?? 0) + count);
  }
  const many = [...sites].filter(([, count]) => count >= manyLines * lines);
  if (many.length < 2) return null;
  const shown = many
    .sort((a, b) => b[1] - a[1])
    .slice(0, 5)
    .map(([host, count]) => `${host} (${plural(count, 'line')})`);
  return shown.join(', ');
}

/** Checks the names of logs. @throws CommandError if standard input is named twice */
function checkNames(logs: readonly string[]): void {
  const seen = new Set<string>();
  for (const log of logs) {
    const path = log === '-' ? log : resolve(log);
    if (!seen.has(path)) seen.add(path);
    else if (log === '-') throw new CommandError('standard input (-) can be read only once', 2);
    else process.stderr.write(`prefetchd: ${log} is named twice: all its lines count twice\n`);
  }
}

/** How far the time may usually go back from a line to the next, ms: servers write a line when a response ends. */
const usualBackwardsMs = 60_000;

function say(text: string): void {
  process.stderr.write(`prefetchd: ${text}\n`);
}

function warn(statistics: LogStatistics, flags: LogFlags): void {
  const { files, unparsed, unparsedLines, clockBackwards, maxBackwardsMs, hosts } = statistics;
  for (const { path, broken, empty } of files) {
    if (broken !== undefined) say(`${path}: ${broken}; what came before is used`);
    if (empty && files.length > 1) say(`${path} is empty`);
  }
  if (maxBackwardsMs > usualBackwardsMs) {
    say(
      `${plural(clockBackwards, 'line is', 'lines are')} earlier than the line above, by up to ${duration(maxBackwardsMs)}`,
    );
  }
  if (flags.host !== undefined && flags.host !== eachHost && hosts.size === 0)
    say('--host: the log names no host; all is used');
  if (unparsed === 0) return;
  say(
    unparsed === 1
      ? 'a line cannot be read:'
      : `${formatCount(unparsed)} lines cannot be read; the first of them:`,
  );
  // Lines of a log that cannot be read are not shown: they contain addresses and what people asked for.
  for (const { path, line, reason } of unparsedLines.slice(0, 3)) {
    process.stderr.write(`  ${path}:${line}: ${reason}\n`);
  }
}
