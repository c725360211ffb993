// A process that walks on demand: one line of JSON in, one line out, the record of the walk. Each walk uses a new
// loader and cache.

import { createInterface } from 'node:readline';
import {
  type WalkOptions,
  type WalkPage,
  type WalkRecord,
  walkPages,
} from '../../loader/walk/index.ts';
import { withConstants } from '../constants.ts';

export interface WalkRequest {
  pages: WalkPage[];
  /** Who walks, as X-Forwarded-For says. */
  client: string;
  options: Pick<WalkOptions, 'prefetch' | 'maxPages'>;
}

const neverBusy = withConstants({ prefetchMaxLoad: 1 });
/** Robots get no hints. */
const userAgent = 'Mozilla/5.0 loadahead/0.1';

for await (const line of createInterface({ input: process.stdin })) {
  const { pages, client, options } = JSON.parse(line) as WalkRequest;
  const extraHeaders = { 'User-Agent': userAgent, 'X-Forwarded-For': client };
  const loader = { extraHeaders, ...neverBusy };
  const record: WalkRecord = await walkPages(pages, { ...options, loader });
  process.stdout.write(`${JSON.stringify(record)}\n`);
}
