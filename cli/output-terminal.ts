// Knows what the terminal of a command can show: NO_COLOR and FORCE_COLOR are honoured (no-color.org); other output has
// no colour, and lines as wide as COLUMNS. And it guards what is sent there: output comes in part from pages, servers
// and logs, and is read by terminals and CI systems that execute some of it. All output to the standard streams passes
// `inert` here, so no report has to remember it. Only progress moves the cursor: it contains no foreign text, and uses
// a stream without the guard.

import type { WriteStream } from 'node:tty';
import { inert } from '../loader/report/printable.ts';

export interface Terminal {
  columns: number;
  color: boolean;
}

export function terminal(stream: NodeJS.WriteStream): Terminal {
  return { columns: columnsOf(stream, 120), color: wantsColor(stream.isTTY === true) };
}

/** Returns the width of a stream, columns. @param fallback Width without a terminal and without COLUMNS */
export function columnsOf(stream: NodeJS.WriteStream, fallback: number): number {
  const { isTTY, columns } = stream as WriteStream;
  if (isTTY && columns > 0) return columns;
  const fromEnvironment = Number(process.env.COLUMNS);
  return Number.isInteger(fromEnvironment) && fromEnvironment > 0 ? fromEnvironment : fallback;
}

function wantsColor(isTTY: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0';
  return isTTY && TERM !== 'dumb';
}

/** The error stream without the guard of `guardOutput`, to draw progress: never for text of pages, servers or logs. */
export const drawnOn: NodeJS.WriteStream = Object.create(process.stderr, {
  write: { value: process.stderr.write.bind(process.stderr), writable: true },
});

export function guardOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...given: unknown[]) => boolean;
    // Colour codes pass on standard output only: reports go there, which make foreign text inert before they colour it.
    const color = stream === process.stdout;
    stream.write = ((chunk: unknown, ...rest: unknown[]) =>
      write(
        typeof chunk === 'string' ? inert(chunk, { color }) : chunk,
        ...rest,
      )) as NodeJS.WriteStream['write'];
  }
}
