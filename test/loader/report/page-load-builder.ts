// Page loads made up for the report tests: a small builder that fills a row from what differs, and
// the loads every report has to render well. Nothing here is measured; times are round figures.

import {
  type BatchRecord,
  type ConnectionRecord,
  newRow,
  type PageLoad,
  type PageTiming,
  type Protocol,
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

/** How a made-up page travels: `lanes` connections, `perBatch` requests a write. */
export interface Journey {
  count: number;
  protocol: Protocol;
  lanes: number;
  perBatch: number;
  /** Round trip, in ms. */
  rttMs: number;
  /** Bytes a millisecond. */
  rate: number;
}

const imageNames = ['banner', 'bullet', 'spacer', 'photo', 'logo', 'button', 'rule', 'chart'];

/**
 * A page and `count - 1` images over `lanes` connections: requests leave in batches while the HTML
 * arrives, responses come back one after another on the shared line.
 */
export function travel(journey: Journey): PageLoad {
  const { count, protocol, lanes, perBatch, rttMs, rate } = journey;
  const url = `${origin}/microscape/`;
  const h2 = protocol === 'h2';
  const httpVersion = h2 ? 'h2' : 'http/1.1';
  const openMs = 0.3 + rttMs;
  const htmlStartMs = openMs + 0.2 + rttMs;
  const htmlEndMs = htmlStartMs + 42_000 / rate;
  const connections: ConnectionRecord[] = [];
  const batches: BatchRecord[] = [];
  const sentOn: number[] = [];
  const open = (id: number, startMs: number) => {
    const connectEndMs = startMs + 0.1 + rttMs;
    connections.push(
      connection({
        id,
        httpVersion,
        startMs,
        lookupEndMs: startMs + 0.1,
        connectEndMs,
        secureEndMs: h2 ? connectEndMs + rttMs : null,
      }),
    );
    sentOn[id] = 0;
    return connections.at(-1)?.secureEndMs ?? connectEndMs;
  };
  const readyMs = [0, open(1, 0.2)];
  const freeMs = [0, 0];
  let lineMs = htmlEndMs + (h2 ? rttMs : 0);

  const rows = Array.from({ length: count }, (_, i) => {
    const images = count - 1;
    const startMs = i === 0 ? 0 : htmlStartMs + (i / images) * (htmlEndMs - htmlStartMs) * 0.96;
    const lane = i === 0 ? 1 : ((i - 1) % lanes) + 1;
    readyMs[lane] ??= open(lane, startMs);
    const batchIndex = i === 0 ? 0 : 1 + Math.floor((i - 1) / perBatch);
    const lastOfBatch = Math.min(images, batchIndex * perBatch);
    const foundMs = htmlStartMs + (lastOfBatch / images) * (htmlEndMs - htmlStartMs) * 0.96 + 0.1;
    const busyUntilMs = perBatch === 1 && lanes > 1 ? (freeMs[lane] ?? 0) : 0;
    const sentMs = Math.max(readyMs[lane] ?? 0, i === 0 ? 0 : foundMs, busyUntilMs) + 0.05;
    if (batches.length <= batchIndex) {
      batches.push({ id: batchIndex + 1, connection: lane, requests: 0, bytes: 0, sentMs });
    }
    const batch = batches[batchIndex];
    if (batch) {
      batch.requests++;
      batch.bytes += 140;
    }
    const encodedBytes = i === 0 ? 42_000 : 70 + ((i * i * 7919) % 9000);
    const startsMs = i === 0 ? sentMs + rttMs : Math.max(sentMs + rttMs, lineMs);
    const responseEndMs = startsMs + encodedBytes / rate;
    if (i > 0) lineMs = responseEndMs;
    else lineMs = Math.max(lineMs, responseEndMs);
    freeMs[lane] = responseEndMs;
    const laneRecord = connections.find(({ id }) => id === lane);
    if (laneRecord) laneRecord.requests = (sentOn[lane] ?? 0) + 1;
    const pipelineIndex = sentOn[lane] ?? 0;
    sentOn[lane] = pipelineIndex + 1;
    return resource({
      url: i === 0 ? url : `${origin}/microscape/gif/${imageNames[i % 8]}-${i}.gif`,
      kind: i === 0 ? 'document' : 'image',
      mimeType: i === 0 ? 'text/html' : 'image/gif',
      initiator: i === 0 ? null : url,
      httpVersion,
      encodedBytes,
      startMs,
      requestStartMs: sentMs,
      responseStartMs: startsMs,
      responseEndMs,
      connection: lane,
      pipelineIndex,
      batch: batch?.id ?? null,
    });
  });
  const endMs = Math.max(...rows.map((row) => row.responseEndMs ?? 0));
  const moments = {
    sizesKnownMs: htmlEndMs + (endMs - htmlEndMs) * 0.6,
    firstViewMs: htmlEndMs + (endMs - htmlEndMs) * 0.8,
  };
  return pageLoad({ url, protocol, resources: rows, connections, batches, moments });
}
