// A process that loads pages on demand: one JSON line in (url and options), one line out. Every load
// has a loader of its own, so the process is warm and the connections are cold.

import { createInterface } from 'node:readline';
import { type LoaderOptions, loadPage } from '../../loader/index.ts';

export interface LoadRequest {
  url: string;
  options: LoaderOptions;
}

export interface LoadAnswer {
  /** `timing.completeMs` */
  completeMs: number;
  connections: number;
  /** Writes that carried requests for what the page names. */
  batches: number;
  responses: number;
  bodyBytes: number;
  errors: string[];
}

for await (const line of createInterface({ input: process.stdin })) {
  const { url, options } = JSON.parse(line) as LoadRequest;
  const { timing, totals, resources } = await loadPage(url, options);
  const answer: LoadAnswer = {
    completeMs: timing.completeMs ?? Number.NaN,
    connections: totals.connections,
    batches: totals.batches - 1,
    responses: totals.responses,
    bodyBytes: totals.bodyBytes,
    errors: resources.flatMap(({ url, error }) =>
      error === null ? [] : [`${url}: ${error.code}: ${error.message}`],
    ),
  };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
