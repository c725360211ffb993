// Reads logs for a command, with progress on a terminal, and says what was left out and why.

import { basename } from 'node:path';
import { type LogStatistics, readLog } from '../prefetchd/log/index.ts';
import { type Trace, TraceBuilder } from '../prefetchd/simulate/trace.ts';
import { CommandError } from './command-error.ts';

export interface LogFlags {
  format: string;
  filter: boolean;
  host?: string;
}

export interface LogTrace {
  trace: Trace;
  /** Of the logs, for headings. */
  name: string;
  statistics: LogStatistics;
}

/** @throws CommandError when there is no access in them */
export async function readTrace(logs: string[], flags: LogFlags): Promise<LogTrace> {
  const progress = lineProgress();
  const builder = new TraceBuilder();
  const reading = readLog(logs, {
    format: flags.format,
    filter: flags.filter,
    host: flags.host ?? null,
    onProgress: ({ lines, linesPerSecond, timeLeftMs }) =>
      progress.show(
        `reading: ${count(lines)} lines, ${count(linesPerSecond)} lines/s${left(timeLeftMs)}`,
      ),
  });
  try {
    for await (const batch of reading) for (const access of batch) builder.add(access);
  } finally {
    progress.clear();
  }
  warn(reading.statistics);
  if (builder.count === 0) {
    throw new CommandError(`no access in ${logs.join(', ')} (${whyNone(reading.statistics)})`, 1);
  }
  const name = logs.length === 1 ? basename(logs[0] as string) : `${logs.length} logs`;
  return { trace: builder.build(), name, statistics: reading.statistics };
}

/** One line: what was read and what was not. */
export function describeLog({ trace, name, statistics }: LogTrace): string {
  const { lines, dropped, unparsed } = statistics;
  const reasons = [...Object.entries(dropped), ['unreadable', unparsed] as const]
    .filter(([, lines]) => lines > 0)
    .map(([reason, lines]) => `${reason} ${count(lines)}`);
  const without = reasons.length === 0 ? '' : ` (left out: ${reasons.join(', ')})`;
  return `${name}: ${count(trace.count)} accesses in ${count(lines)} lines${without}; ${count(trace.clients)} clients, ${count(trace.urls.length)} URLs`;
}

/** A line that is written over, on a terminal only. */
export function lineProgress(): { show(text: string): void; clear(): void } {
  const { stderr } = process;
  if (!stderr.isTTY) return { show() {}, clear() {} };
  return {
    show: (text) => void stderr.write(`\r\x1b[K${text.slice(0, stderr.columns - 1)}`),
    clear: () => void stderr.write('\r\x1b[K'),
  };
}

/** Progress of a simulation on a terminal: how much, how fast, how long still. */
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
      const percent = Math.floor((done / total) * 100);
      const speed = `${count(perMs * 1000)} lines/s`;
      line.show(`simulating: ${percent} %, ${speed}${left((total - done) / perMs)}`);
    },
    clear: line.clear,
  };
}

function warn({ files, unparsed, unparsedLines }: LogStatistics): void {
  for (const { path, broken } of files) {
    if (broken === undefined) continue;
    process.stderr.write(`prefetchd: ${path}: ${broken}; what came before is used\n`);
  }
  if (unparsed === 0) return;
  process.stderr.write(
    unparsed === 1
      ? 'prefetchd: a line cannot be read:\n'
      : `prefetchd: ${count(unparsed)} lines cannot be read; the first of them:\n`,
  );
  for (const { path, line, reason, text } of unparsedLines.slice(0, 3)) {
    process.stderr.write(`  ${path}:${line}: ${reason}: ${text.slice(0, 100)}\n`);
  }
}

function whyNone({ lines, dropped, unparsed }: LogStatistics): string {
  const reasons = Object.entries(dropped).filter(([, lines]) => lines > 0);
  const told = reasons.map(([reason, lines]) => `, ${count(lines)} dropped: ${reason}`).join('');
  return `${count(lines)} lines, ${count(unparsed)} unreadable${told}`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function left(timeLeftMs: number | undefined): string {
  if (timeLeftMs === undefined || !Number.isFinite(timeLeftMs)) return '';
  return `, ${Math.ceil(timeLeftMs / 1000)} s left`;
}
