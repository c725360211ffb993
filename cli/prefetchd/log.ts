// Writes the log of `serve` and `proxy` to standard error: lines of JSON with level, time, pid, hostname, fields and
// msg, as pino and bunyan write them; on a terminal, readable lines. At no level does the log contain anybody's
// address, user agent, token or query string: of an error it has only the properties of `LoggedError`, or only the code
// if the text of the line contains the error's message. Network errors carry unreadable bytes of a response
// (`rawPacket`), requests, addresses and input, which may be personal data.

import { hostname } from 'node:os';
import { inspect } from 'node:util';
import { inert } from '../../loader/report/printable.ts';
import { painter } from '../../loader/report/terminal.ts';
import type { Logger } from '../../options/logger.ts';
import { PrefetchdError } from '../../prefetchd/errors.ts';
import { terminal } from '../output-terminal.ts';

export const usualLevel = 'info';
/** The levels of the log, with the numbers that pino and bunyan give them. */
const levels = { debug: 20, info: 30, warn: 40, error: 50 };
type Level = keyof typeof levels;
export const logLevels = [...(Object.keys(levels) as Level[]), 'silent'] as const;

const colors = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const;

/** Creates a log. @param least Lowest level that is written; `silent`: no line is written */
export function createLog(least: Level | 'silent' = usualLevel): Logger {
  const { color } = terminal(process.stderr);
  const at = (level: Level) => (given: object, msg: string) => {
    if (least === 'silent' || levels[level] < levels[least]) return;
    const { err, ...fields } = given as { err?: unknown };
    const isTold = err instanceof PrefetchdError && msg.includes(err.message);
    const failure = isTold ? { code: err.code } : { err: loggedError(err) };
    const said = err === undefined ? fields : { ...fields, ...failure };
    const head = { level: levels[level], time: Date.now(), pid: process.pid, hostname: hostname() };
    // Control characters are made inert first, so the only colours on the terminal are those of this program.
    const line = inert(`${JSON.stringify({ ...head, ...said, msg })}\n`, { color: false });
    process.stderr.write(process.stderr.isTTY ? readableLine(line, { color }) : line);
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/**
 * Turns a line of the log into text for a terminal; programs that collect logs read the JSON.
 * @param line a line of JSON @returns `04:05:06 warn the site fails requests upstream=http://127.0.0.1:3000`
 */
export function readableLine(line: string, { color }: { color: boolean }): string {
  const { level, time, pid: _, hostname: __, msg, err, ...fields } = JSON.parse(line);
  const name = (Object.keys(levels) as Level[]).find((each) => levels[each] === level) ?? 'error';
  const paint = painter(color);
  const at = new Date(time).toLocaleTimeString('en-GB');
  const shown = (value: unknown) =>
    typeof value === 'string' ? value : inspect(value, { breakLength: Infinity, colors: false });
  const said = Object.entries(fields).map(([key, value]) =>
    paint('gray', `${key}=${shown(value)}`),
  );
  const why = err === undefined ? '' : `: ${err.message}`;
  const stack = err?.stack !== undefined && name === 'error' ? [`\n${err.stack}`] : [];
  return `${[at, paint(colors[name], name), `${msg}${why}`, ...said, ...stack].join(' ')}\n`;
}

export interface LoggedError {
  /** Name of the error's class; pino's field has the same name. */
  type: string;
  message: string;
  code?: string | number;
  stack?: string;
  cause?: LoggedError;
}

/** Limit on the causes that are logged of an error. */
const mostCauses = 5;

export function loggedError(error: unknown, causesLeft = mostCauses): LoggedError {
  // A program may throw any value; one that is no Error may be unfit for a log.
  if (!(error instanceof Error)) return { type: typeof error, message: 'no error was thrown' };
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return {
    type: name,
    message: withoutQueries(message),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(typeof stack === 'string' && { stack: withoutQueries(stack) }),
    ...(cause !== undefined && causesLeft > 0 && { cause: loggedError(cause, causesLeft - 1) }),
  };
}

function withoutQueries(text: string): string {
  return text.replace(/(\/[^\s?"'<>]*)\?[^\s"'<>)]+/g, '$1?...');
}
