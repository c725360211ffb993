// A line of the log for somebody who reads it on a terminal; what collects logs reads the JSON that pino writes.

import { inspect, styleText } from 'node:util';

const colors = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const;
const names: Readonly<Record<number, keyof typeof colors>> = {
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
};

/** @param line JSON of pino @returns `04:05:06 warn the site does not answer  upstream=http://127.0.0.1:3000` */
export function readableLine(line: string, { color }: { color: boolean }): string {
  const { level, time, pid: _, hostname: __, msg, err, ...fields } = JSON.parse(line);
  const name = names[level] ?? 'error';
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    color ? styleText(style, text, { validateStream: false }) : text;
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
