// nghttp, the client of the nghttp2 project, on the same page: `-a` fetches resources named in the HTML, `-n`
// discards bodies, `-s` prints when each response ended, measured from the end of connecting.

import type { Link } from '../link/link.ts';
import { run } from '../processes.ts';

export interface NghttpLoad {
  /** From connected to the last byte of the last response, as nghttp tells it. */
  lastResponseEndMs: number;
  responses: number;
  /** The whole process: start-up, load, end. */
  wallMs: number;
}

/** @param flags beside `-ans`. */
export async function nghttp(link: Link, url: string, flags: string[]): Promise<NghttpLoad> {
  const { stdout, wallMs } = await run(...link.at('client', ['nghttp', '-ans', ...flags, url]));
  return { ...readStatistics(stdout), wallMs };
}

/** Lines as ` 13  +90.45ms  +120us  90.33ms  200  41K /index.html`. */
function readStatistics(text: string): { lastResponseEndMs: number; responses: number } {
  const row = /^\s*\d+\s+\+(\d+(?:\.\d+)?)(us|ms|s)\s+\*?\+\S+\s+\S+\s+(\d{3})\s/gm;
  const ends: number[] = [];
  for (const [, value, unit, status] of text.matchAll(row)) {
    if (status !== '200') throw new Error(`nghttp: a response with status ${status}`);
    ends.push(Number(value) * { us: 1e-3, ms: 1, s: 1e3 }[unit as 'us' | 'ms' | 's']);
  }
  if (ends.length === 0) throw new Error(`nghttp: no statistics in\n${text}`);
  return { lastResponseEndMs: Math.max(...ends), responses: ends.length };
}
