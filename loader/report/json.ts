// The output of `--json`. Scripts depend on the names and order of the fields: in each list below, those before the
// comment are stable; more may be added after them. Times are ms since navigation start, rounded to 0.001; null: the
// event did not happen.

import type { PageLoad, ResourceRecord } from '../page-load.ts';
import { roundTimes } from './units.ts';

const resourceFields = [
  ...['url', 'kind', 'initiator', 'status', 'fromCache', 'bodyBytes', 'encodedBytes'],
  ...['transferBytes', 'startMs', 'requestStartMs', 'responseStartMs', 'responseEndMs'],
  ...['connection', 'pipelineIndex', 'batch', 'error'],
  // Fields from here on are not stable: scripts must not depend on their names and order.
  ...['httpVersion', 'mimeType', 'redirectUrl', 'attempts', 'lostAttempts', 'purpose'],
  ...['prefetched', 'width', 'height', 'from', 'offset', 'why', 'partOf', 'quirks'],
] as const;

const totalsFields = [
  ...['requests', 'responses', 'connections', 'batches', 'transferBytes', 'bodyBytes'],
  ...['notModified', 'fromCache', 'errors'],
  // Fields from here on are not stable: scripts must not depend on their names and order.
  ...['requestsPerBatch', 'parts', 'unusedPartBytes'],
] as const;

const timingFields = [
  ...['firstByteMs', 'htmlEndMs', 'sizesKnownMs', 'completeMs'],
  // Fields from here on are not stable: scripts must not depend on their names and order.
  ...['firstViewMs', 'redirectMs'],
] as const;

export type JsonResource = Pick<ResourceRecord, (typeof resourceFields)[number]>;

export interface JsonReport
  extends Pick<PageLoad, 'url' | 'protocol' | 'totals' | 'timing'>,
    // These fields of a load are not stable: scripts must not depend on their names and order.
    Pick<PageLoad, 'startedAtMs' | 'connections' | 'batches' | 'skipped'> {
  resources: JsonResource[];
}

/** Converts a load to plain data, ready for `JSON.stringify`. */
export function toJson(load: PageLoad): JsonReport {
  const { url, protocol, startedAtMs, connections, batches, skipped } = load;
  return roundTimes({
    url,
    protocol,
    resources: load.resources.map((resource) => picked(resource, resourceFields)),
    totals: picked(load.totals, totalsFields),
    timing: picked(load.timing, timingFields),
    startedAtMs,
    connections,
    batches,
    skipped,
  });
}

function picked<From extends object, Name extends keyof From>(
  from: From,
  names: readonly Name[],
): Pick<From, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<From, Name>;
}
