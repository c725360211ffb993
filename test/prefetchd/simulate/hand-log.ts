// Small logs written by hand: `client seconds /url bytes`, one access a line; .html is a document.

import type { Access } from '../../../prefetchd/access.ts';
import { type Trace, traceOf } from '../../../prefetchd/simulate/trace.ts';

export function accessesOf(text: string): Access[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [client = '', seconds, url = '', bytes, status = 200] = line.trim().split(/\s+/);
      return {
        client,
        url,
        timeMs: Math.round(Number(seconds) * 1000),
        kind: url.endsWith('.html') ? 'document' : 'object',
        status: Number(status),
        bytes: Number(bytes),
        prefetch: false,
      };
    });
}

export function handLog(text: string): Trace {
  return traceOf(accessesOf(text));
}

export function sizesOf(trace: Trace): number[] {
  return trace.accesses.map(({ bytes }) => bytes);
}
