// What the terminal can show. NO_COLOR and FORCE_COLOR are honoured (no-color.org); without a
// terminal there is no colour, and lines are as wide as COLUMNS says, or 120.

import type { WriteStream } from 'node:tty';

export interface Terminal {
  columns: number;
  color: boolean;
}

export function terminal(stream: NodeJS.WriteStream): Terminal {
  const fromEnvironment = Number(process.env.COLUMNS);
  const fallback = Number.isInteger(fromEnvironment) && fromEnvironment > 0 ? fromEnvironment : 120;
  const { isTTY, columns } = stream as WriteStream;
  return { columns: isTTY && columns > 0 ? columns : fallback, color: wantsColor(isTTY === true) };
}

function wantsColor(isTTY: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0';
  return isTTY && TERM !== 'dumb';
}
