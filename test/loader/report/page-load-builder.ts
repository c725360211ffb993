// Page loads made up for the report tests: a small builder that fills a row from what differs, and
// the loads every report has to render well. Nothing here is measured; times are round figures.

import {
  type ConnectionRecord,
  newRow,
  type PageLoad,
  type PageTiming,
  type ResourceRecord,
} from '../../../loader/page-load.ts';

export const origin = 'http://localhost:8080';

export function resource(given: Partial<ResourceRecord> = {}): ResourceRecord {
  const encodedBytes = given.encodedBytes ?? 1000;
  const came = given.status !== null;
  return {
    ...newRow(`${origin}/`, 'image', `${origin}/`, 0),
    status: 200,
    statusText: came ? 'OK' : '',
    httpVersion: came ? 'http/1.1' : null,
    bodyBytes: encodedBytes,
    encodedBytes,
    transferBytes: came ? encodedBytes + 180 : 0,
    attempts: 1,
    requestHeaders: [['Host', 'localhost:8080']],
    responseHeaders: [['Content-Type', 'image/gif']],
    mimeType: 'image/gif',
    ...given,
  };
}

export function connection(given: Partial<ConnectionRecord> = {}): ConnectionRecord {
  return {
    id: 1,
    origin,
    httpVersion: 'http/1.1',
    remoteAddress: '127.0.0.1',
    startMs: 0.4,
    lookupEndMs: 1.1,
    connectEndMs: 1.9,
    secureEndMs: null,
    endMs: null,
    requests: 1,
    ...given,
  };
}

/** Totals and timing follow from the rows unless given. */
export function pageLoad(
  given: Partial<PageLoad> & { resources: ResourceRecord[]; moments?: Partial<PageTiming> },
): PageLoad {
  const { moments, ...rest } = given;
  const { resources } = given;
  const connections = given.connections ?? [];
  const batches = given.batches ?? [];
  const requests = resources.reduce((sum, { attempts }) => sum + attempts, 0);
  const ends = resources.map((row) => row.responseEndMs ?? 0);
  const sum = (of: (row: ResourceRecord) => number) => resources.reduce((n, row) => n + of(row), 0);
  return {
    url: resources[0]?.url ?? `${origin}/`,
    protocol: 'pipelined',
    startedAtMs: Date.UTC(2024, 4, 6, 7, 8, 9, 123),
    skipped: [],
    connections,
    batches,
    totals: {
      requests,
      responses: resources.filter((row) => row.attempts > 0 && row.status && !row.error).length,
      connections: connections.length,
      batches: batches.length,
      requestsPerBatch: batches.length === 0 ? 0 : requests / batches.length,
      transferBytes: sum((row) => row.transferBytes),
      bodyBytes: sum((row) => row.bodyBytes),
      notModified: resources.filter((row) => row.status === 304).length,
      fromCache: resources.filter((row) => row.fromCache).length,
      errors: resources.filter((row) => row.error !== null).length,
      parts: resources.filter((row) => row.partOf !== null).length,
      unusedPartBytes: 0,
    },
    timing: {
      redirectMs: null,
      firstByteMs: resources[0]?.responseStartMs ?? null,
      htmlEndMs: resources[0]?.responseEndMs ?? null,
      sizesKnownMs: null,
      firstViewMs: null,
      completeMs: ends.length === 0 ? null : Math.max(...ends),
      ...moments,
    },
    ...rest,
  };
}

/** How a made-up page travels on its one connection. */
export interface Journey {
  count: number;
  /** Requests of a write. */
  perBatch: number;
  /** Round trip, in ms. */
  rttMs: number;
  /** Bytes a millisecond. */
  rate: number;
  isH2?: boolean;
}

const imageNames = ['banner', 'bullet', 'spacer', 'photo', 'logo', 'button', 'rule', 'chart'];

/**
 * A page and `count - 1` images: requests leave in batches while the HTML arrives, responses come back one after
 * another.
 */
export function travel({ count, perBatch, rttMs, rate, isH2 = false }: Journey): PageLoad {
  const url = `${origin}/microscape/`;
  const httpVersion = isH2 ? 'h2' : 'http/1.1';
  const images = count - 1;
  const connectEndMs = 0.3 + rttMs;
  const secureEndMs = isH2 ? connectEndMs + rttMs : null;
  const htmlStartMs = 0.5 + 2 * rttMs;
  const htmlEndMs = htmlStartMs + 42_000 / rate;
  const foundMs = (i: number) => htmlStartMs + (i / images) * (htmlEndMs - htmlStartMs) * 0.96;
  let lineMs = htmlEndMs + (isH2 ? rttMs : 0);

  const resources = Array.from({ length: count }, (_, i) => {
    const isRoot = i === 0;
    const batch = isRoot ? 0 : 1 + Math.floor((i - 1) / perBatch);
    const batchMs = isRoot ? 0 : foundMs(Math.min(images, batch * perBatch)) + 0.1;
    const sentMs = Math.max(secureEndMs ?? connectEndMs, batchMs) + 0.05;
    const encodedBytes = isRoot ? 42_000 : 70 + ((i * i * 7919) % 9000);
    const responseStartMs = Math.max(sentMs + rttMs, isRoot ? 0 : lineMs);
    const responseEndMs = responseStartMs + encodedBytes / rate;
    lineMs = Math.max(lineMs, responseEndMs);
    return resource({
      url: isRoot ? url : `${origin}/microscape/gif/${imageNames[i % 8]}-${i}.gif`,
      kind: isRoot ? 'document' : 'image',
      mimeType: isRoot ? 'text/html' : 'image/gif',
      initiator: isRoot ? null : url,
      startMs: isRoot ? 0 : foundMs(i),
      requestStartMs: sentMs,
      ...{ httpVersion, encodedBytes, responseStartMs, responseEndMs },
      ...{ connection: 1, pipelineIndex: i, batch: batch + 1 },
    });
  });
  const batches = [...Map.groupBy(resources, ({ batch }) => batch)].map(([id, rows]) => ({
    ...{ id: id ?? 0, connection: 1, requests: rows.length, bytes: 140 * rows.length },
    sentMs: rows[0]?.requestStartMs ?? 0,
  }));
  const opened = { startMs: 0.2, lookupEndMs: 0.3, connectEndMs, secureEndMs };
  const behindHtmlMs = Math.max(...resources.map((row) => row.responseEndMs ?? 0)) - htmlEndMs;
  return pageLoad({
    ...{ url, protocol: isH2 ? 'h2' : 'pipelined', resources, batches },
    connections: [connection({ ...opened, httpVersion, requests: count })],
    moments: {
      sizesKnownMs: htmlEndMs + behindHtmlMs * 0.6,
      firstViewMs: htmlEndMs + behindHtmlMs * 0.8,
    },
  });
}
