// What the terminal can show. NO_COLOR and FORCE_COLOR are honoured (no-color.org); other output has no colour, and
// lines as wide as COLUMNS.

import type { WriteStream } from 'node:tty';

export interface Terminal {
  columns: number;
  color: boolean;
}

export function terminal(stream: NodeJS.WriteStream): Terminal {
  return { columns: columnsOf(stream, 120), color: wantsColor(stream.isTTY === true) };
}

/** @param fallback Width without a terminal and without COLUMNS */
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
