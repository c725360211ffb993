// Reads logs for a command, shows progress on a terminal, and reports which lines were left out and why.

import { basename, resolve } from 'node:path';
import type { Access } from '../../prefetchd/access.ts';
import { PrefetchdError } from '../../prefetchd/errors.ts';
import {
  type DropReason,
  type LogStatistics,
  readLog,
  shownText,
} from '../../prefetchd/log/index.ts';
import { urlNormaliser } from '../../prefetchd/normalise-url.ts';
import { type Trace, TraceBuilder } from '../../prefetchd/simulate/trace.ts';
import { CommandError } from '../command-error.ts';
import { terminal } from '../output-terminal.ts';
import { drawnOn } from '../safe-output.ts';
import { LayoutSuspicion, sitesIn } from './layout-suspicion.ts';

export interface LogFlags {
  format: string;
  fields?: string;
  filter: boolean;
  host?: string;
  asPaper?: boolean;
}

/** In place of a host name: all hosts, each as a site of its own. */
export const eachHost = 'each';

export interface LogTrace {
  trace: Trace;
  /** Name of the logs, for headings. */
  name: string;
  statistics: LogStatistics;
}

/** @throws CommandError if the logs have no access */
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
  const name = logs.length === 1 ? basename(logs[0] as string) : `${logs.length} logs`;
  return { trace: builder.build(), name, statistics };
}

/** Reads logs to their end, with progress and warnings on the error stream. @param normalise See ReadLogOptions
 *  @throws CommandError, PrefetchdError */
export async function readAccesses(
  logs: string[],
  flags: LogFlags,
  take: (batch: readonly Access[]) => void,
  normalise = urlNormaliser(flags.asPaper ? { query: 'drop-from-hints' } : {}),
): Promise<LogStatistics> {
  checkNames(logs);
  const progress = lineProgress();
  const reading = readLog(logs, {
    format: flags.format,
    fields: flags.fields ?? null,
    filter: flags.filter,
    asPaper: flags.asPaper === true,
    normalise,
    host: flags.host === eachHost ? null : (flags.host ?? null),
    onProgress: ({ lines, linesPerSecond, timeLeftMs, bytesRead, bytesTotal }) =>
      progress.show('reading', {
        share: bytesTotal === undefined ? undefined : bytesRead / bytesTotal,
        done: `${count(lines)} lines, ${count(linesPerSecond)} lines/s`,
        timeLeftMs,
      }),
  });
  const suspicion = new LayoutSuspicion();
  try {
    for await (const batch of reading) {
      suspicion.see(batch);
      take(batch);
    }
  } catch (error) {
    // A file that is no log is not a usage error, while a format that does not exist is one.
    if (!(error instanceof PrefetchdError && error.code === 'unknown-log-format')) throw error;
    throw new CommandError(error.message, 1, { cause: error });
  } finally {
    progress.clear();
  }
  warn(reading.statistics, flags);
  for (const text of suspicion.warnings()) say(text);
  return reading.statistics;
}

/** Error for logs without a single access: it says what they contain, and what to do. */
export function noAccess(
  logs: readonly string[],
  statistics: LogStatistics,
  prefetches: number,
): CommandError {
  const { lines, dropped, unparsed, files } = statistics;
  const reasons = [...Object.entries(dropped), ['unreadable', unparsed], ['prefetch', prefetches]]
    .filter(([, lines]) => (lines as number) > 0)
    .map(([reason, lines]) => `${reason} ${count(lines as number)}`);
  const found = files.every(({ empty }) => empty)
    ? logs.length === 1
      ? 'it is empty'
      : 'they are empty'
    : [counted(lines, 'line'), ...reasons].join(', ');
  const most = Object.entries(dropped).reduce((a, b) => (b[1] > a[1] ? b : a));
  const advice = most[1] > unparsed ? `; ${adviceFor[most[0] as DropReason]}` : '';
  const layouts = describeLayouts(statistics).map((line) => `\n${line}`);
  return new CommandError(
    `no access in ${logs.join(', ')}: ${found}${advice}${layouts.join('')}`,
    1,
  );
}

const toKeepThem = '--no-filter keeps these lines';
const whatCounts = 'an access is a GET that was answered with 2xx or 304';
const adviceFor: Readonly<Record<DropReason, string>> = {
  'no-request': 'no line asks for a page',
  'other-host': 'no line is of the host of --host',
  monitor: toKeepThem,
  bot: toKeepThem,
  scan: toKeepThem,
  admin: toKeepThem,
  method: whatCounts,
  status: whatCounts,
  noindex: 'pages with X-Robots-Tag: noindex are never hinted',
  'not-page': 'downloads, feeds and parts (206) are no pages',
};

/** Tells how each file was read: its format, the places of its fields, and a sample line. Each layout is told once. */
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

/** Describes in one line what was read and what was left out. */
export function describeLog({ trace, name, statistics }: LogTrace): string {
  const { lines, dropped, unparsed } = statistics;
  const reasons = [...Object.entries(dropped), ['unreadable', unparsed] as const]
    .filter(([, lines]) => lines > 0)
    .map(([reason, lines]) => `${reason} ${count(lines)}`);
  const without = reasons.length === 0 ? '' : ` (left out: ${reasons.join(', ')})`;
  return `${name}: ${counted(trace.count, 'access', 'accesses')} in ${counted(lines, 'line')}${without}; ${counted(trace.clients, 'client')}, ${counted(trace.urls.length, 'URL')}`;
}

/** `1 line`, `2 lines`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A line that is overwritten, on a terminal only. */
function lineProgress(): { show(what: string, state: ProgressState): void; clear(): void } {
  if (!drawnOn.isTTY) return { show() {}, clear() {} };
  let shown = false;
  return {
    show(what, state) {
      shown = true;
      const { columns } = terminal(drawnOn);
      const text = progressText(what, state, columns).slice(0, columns - 1);
      drawnOn.write(`\r${text}\x1b[K`);
    },
    clear() {
      if (shown) drawnOn.write('\r\x1b[K');
      shown = false;
    },
  };
}

interface ProgressState {
  /** 0..1; undefined if the end is not known. */
  share: number | undefined;
  done: string;
  timeLeftMs: number | undefined;
}

const mostCells = 24;

/** If the end is known, the text has a bar as wide as there is room for. */
function progressText(
  what: string,
  { share, done, timeLeftMs }: ProgressState,
  columns: number,
): string {
  if (share === undefined) return `${what}: ${done}`;
  const percent = `${Math.min(100, Math.floor(share * 100))} %`.padStart(5);
  const told = `${percent}, ${done}${left(timeLeftMs)}`;
  const cells = Math.min(mostCells, columns - `${what} [] ${told}`.length - 1);
  if (cells < 4) return `${what} ${told}`;
  const full = Math.min(cells, Math.floor(share * cells));
  return `${what} [${'#'.repeat(full)}${'-'.repeat(cells - full)}] ${told}`;
}

/** Shows the progress of a simulation on a terminal: the share done, the speed, and the time left. */
export function simulationProgress(startMs: number): {
  onProgress(progress: { done: number; total: number }): void;
  clear(): void;
} {
  const line = lineProgress();
  let shownMs = 0;
  return {
    onProgress({ done, total }) {
      const nowMs = performance.now();
      if (nowMs - shownMs < 200) return;
      shownMs = nowMs;
      const perMs = done / Math.max(1, nowMs - startMs);
      line.show('simulating', {
        share: done / total,
        done: `${count(perMs * 1000)} accesses/s`,
        timeLeftMs: (total - done) / perMs,
      });
    },
    clear: line.clear,
  };
}

/** @throws CommandError if standard input is named twice */
function checkNames(logs: readonly string[]): void {
  const seen = new Set<string>();
  for (const log of logs) {
    const path = log === '-' ? log : resolve(log);
    if (!seen.has(path)) seen.add(path);
    else if (log === '-') throw new CommandError('standard input (-) can be read only once', 2);
    else process.stderr.write(`prefetchd: ${log} is named twice: all its lines count twice\n`);
  }
}

/** Servers write a line when a response ends, so times go back this far in every log. */
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
      `${counted(clockBackwards, 'line is', 'lines are')} earlier than the line above, by up to ${duration(maxBackwardsMs)}`,
    );
  }
  if (flags.host !== undefined && flags.host !== eachHost && hosts.size === 0)
    say('--host: the log names no host; all is used');
  if (unparsed === 0) return;
  say(
    unparsed === 1
      ? 'a line cannot be read:'
      : `${count(unparsed)} lines cannot be read; the first of them:`,
  );
  // The lines themselves are not shown: they contain addresses and what people asked for.
  for (const { path, line, reason } of unparsedLines.slice(0, 3)) {
    process.stderr.write(`  ${path}:${line}: ${reason}\n`);
  }
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function left(timeLeftMs: number | undefined): string {
  if (timeLeftMs === undefined || !Number.isFinite(timeLeftMs)) return '';
  return `, ${duration(timeLeftMs)} left`;
}

/** `12 s`, `3 min 5 s`, `2 h 10 min`, `5 days`. */
function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.round(minutes / 1440)} days`;
}
