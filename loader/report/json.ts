// The output of `--json`. Scripts depend on the names and order of the fields: those of `JsonResource`, `totals` and
// `timing` before the comment below are stable; more may be added after them. Times are ms since navigation start,
// rounded to 0.001; null: the event did not happen.

import type {
  BatchRecord,
  ConnectionRecord,
  PageLoad,
  PageTiming,
  PageTotals,
  ResourceRecord,
  SkippedReference,
} from '../page-load.ts';
import { roundLost, roundMs } from './units.ts';

export type JsonResource = Pick<
  ResourceRecord,
  | 'url'
  | 'kind'
  | 'initiator'
  | 'status'
  | 'fromCache'
  | 'bodyBytes'
  | 'encodedBytes'
  | 'transferBytes'
  | 'startMs'
  | 'requestStartMs'
  | 'responseStartMs'
  | 'responseEndMs'
  | 'connection'
  | 'pipelineIndex'
  | 'batch'
  | 'error'
  // The fields below are not covered by the contract.
  | 'httpVersion'
  | 'mimeType'
  | 'redirectUrl'
  | 'attempts'
  | 'lostAttempts'
  | 'purpose'
  | 'prefetched'
  | 'width'
  | 'height'
  | 'from'
  | 'offset'
  | 'why'
  | 'partOf'
  | 'quirks'
>;

export interface JsonReport {
  url: string;
  protocol: PageLoad['protocol'];
  resources: JsonResource[];
  totals: PageTotals;
  timing: PageTiming;
  // The fields below are not covered by the contract.
  startedAtMs: number;
  connections: ConnectionRecord[];
  batches: BatchRecord[];
  skipped: SkippedReference[];
}

/** Converts a load to plain data, ready for `JSON.stringify`. */
export function toJson(load: PageLoad): JsonReport {
  const { totals, timing } = load;
  return {
    url: load.url,
    protocol: load.protocol,
    resources: load.resources.map(resourceToJson),
    totals: {
      requests: totals.requests,
      responses: totals.responses,
      connections: totals.connections,
      batches: totals.batches,
      transferBytes: totals.transferBytes,
      bodyBytes: totals.bodyBytes,
      notModified: totals.notModified,
      fromCache: totals.fromCache,
      errors: totals.errors,
      requestsPerBatch: totals.requestsPerBatch,
      parts: totals.parts,
      unusedPartBytes: totals.unusedPartBytes,
    },
    timing: {
      firstByteMs: roundTime(timing.firstByteMs),
      htmlEndMs: roundTime(timing.htmlEndMs),
      sizesKnownMs: roundTime(timing.sizesKnownMs),
      completeMs: roundTime(timing.completeMs),
      firstViewMs: roundTime(timing.firstViewMs),
      redirectMs: roundTime(timing.redirectMs),
    },
    startedAtMs: roundMs(load.startedAtMs),
    connections: load.connections.map((connection) => ({
      id: connection.id,
      origin: connection.origin,
      httpVersion: connection.httpVersion,
      remoteAddress: connection.remoteAddress,
      startMs: roundMs(connection.startMs),
      lookupEndMs: roundTime(connection.lookupEndMs),
      connectEndMs: roundTime(connection.connectEndMs),
      secureEndMs: roundTime(connection.secureEndMs),
      endMs: roundTime(connection.endMs),
      requests: connection.requests,
    })),
    batches: load.batches.map((batch) => ({
      id: batch.id,
      connection: batch.connection,
      requests: batch.requests,
      bytes: batch.bytes,
      sentMs: roundMs(batch.sentMs),
    })),
    skipped: load.skipped,
  };
}

function resourceToJson(resource: ResourceRecord): JsonResource {
  const { error } = resource;
  return {
    url: resource.url,
    kind: resource.kind,
    initiator: resource.initiator,
    status: resource.status,
    fromCache: resource.fromCache,
    bodyBytes: resource.bodyBytes,
    encodedBytes: resource.encodedBytes,
    transferBytes: resource.transferBytes,
    startMs: roundMs(resource.startMs),
    requestStartMs: roundTime(resource.requestStartMs),
    responseStartMs: roundTime(resource.responseStartMs),
    responseEndMs: roundTime(resource.responseEndMs),
    connection: resource.connection,
    pipelineIndex: resource.pipelineIndex,
    batch: resource.batch,
    error: error === null ? null : { code: error.code, message: error.message },
    httpVersion: resource.httpVersion,
    mimeType: resource.mimeType,
    redirectUrl: resource.redirectUrl,
    attempts: resource.attempts,
    lostAttempts: resource.lostAttempts.map(roundLost),
    purpose: resource.purpose,
    prefetched: resource.prefetched,
    width: resource.width,
    height: resource.height,
    from: resource.from,
    offset: resource.offset,
    why: resource.why,
    partOf: resource.partOf,
    quirks: resource.quirks,
  };
}

function roundTime(ms: number | null): number | null {
  return ms === null ? null : roundMs(ms);
}
