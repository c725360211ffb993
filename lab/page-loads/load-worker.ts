// A process that loads pages on demand: one line of JSON in (url and options), one line out. Each load uses a new
// loader, so the process is warm and the connections are cold.

import { createInterface } from 'node:readline';
import {
  createHttpCache,
  createMemoryStore,
  type HttpCache,
  type LoaderOptions,
  loadPage,
} from '../../loader/index.ts';
import { withConstants } from '../constants.ts';

export interface LoadRequest {
  url: string;
  options: LoaderOptions;
  /** Values for constants of the loader. */
  constants?: object;
  /** `first`: into an empty cache. `again`: with what the first visit left, all of it validated. `next`: with what all
   *  visits since the first left, as far as it is fresh. Absent: no cache. */
  visit?: 'first' | 'again' | 'next';
}

export interface LoadAnswer {
  /** `timing.completeMs` */
  completeMs: number;
  connections: number;
  /** Writes that carried requests for what the page names. */
  batches: number;
  /** Requests for what the page names that left before the last byte of its HTML came. */
  ahead: number;
  /** `timing.sizesKnownMs` */
  sizesKnownMs: number;
  responses: number;
  notModified: number;
  /** Requests that left. */
  requests: number;
  bodyBytes: number;
  /** Of all responses as they came: header sections and encoded bodies. */
  transferBytes: number;
  errors: string[];
}

let cache: HttpCache | null = null;

for await (const line of createInterface({ input: process.stdin })) {
  const { url, options, constants = {}, visit } = JSON.parse(line) as LoadRequest;
  if (visit === 'first') cache = createHttpCache(createMemoryStore());
  if (visit === undefined) cache = null;
  const { timing, totals, resources } = await loadPage(url, {
    ...options,
    ...withConstants(constants),
    cache,
    ...(visit === 'again' && { cacheMode: 'no-cache' }),
  });
  const answer: LoadAnswer = {
    completeMs: timing.completeMs ?? Number.NaN,
    connections: totals.connections,
    batches: totals.batches - 1,
    ahead: resources.filter(
      ({ requestStartMs }, at) =>
        at > 0 && requestStartMs !== null && requestStartMs < (timing.htmlEndMs ?? 0),
    ).length,
    sizesKnownMs: timing.sizesKnownMs ?? Number.NaN,
    responses: totals.responses,
    notModified: totals.notModified,
    requests: totals.requests,
    bodyBytes: totals.bodyBytes,
    transferBytes: totals.transferBytes,
    errors: resources.flatMap(({ url, error }) =>
      error === null ? [] : [`${url}: ${error.code}: ${error.message}`],
    ),
  };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
