// Any page load the record's types allow, for property tests: times missing or out of order,
// connections kept or unknown, text with every kind of character.

import { loaderErrorCodes } from '../../../loader/errors.ts';
import type { HeaderPair, PageLoad } from '../../../loader/page-load.ts';
import fc from '../../support/property.ts';
import { connection, pageLoad, resource } from './page-load-builder.ts';
import { hostileUrls } from './sample-loads.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 30 });
const timeMs = fc.double({ min: 0, max: 100_000, noNaN: true });
const maybeTimeMs = fc.option(timeMs);
const bytes = fc.nat({ max: 10_000_000 });
const url = fc.oneof(
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.constantFrom(...hostileUrls),
  anyText,
  anyText.map((text) => `https://h.example/${text}`),
);
const id = fc.integer({ min: 1, max: 4 });
const maybeId = fc.option(id);
const httpVersion = fc.constantFrom('http/1.0', 'http/1.1', 'h2');
const headers = fc.array(
  fc.oneof(
    fc.tuple(anyText, anyText),
    fc.tuple(fc.constantFrom('set-cookie', 'Cookie', 'content-type', 'Host'), anyText),
    anyText.map((value): HeaderPair => ['Set-Cookie', `a=${value}; Expires=${value}; Path=/`]),
  ),
  { maxLength: 4 },
) as fc.Arbitrary<HeaderPair[]>;

const anyResource = fc
  .record({
    url,
    kind: fc.constantFrom('document', 'stylesheet', 'script', 'image', 'other'),
    initiator: fc.option(url),
    status: fc.option(fc.integer({ min: 100, max: 999 })),
    statusText: anyText,
    httpVersion: fc.option(httpVersion),
    fromCache: fc.boolean(),
    partOf: fc.option(url),
    bodyBytes: bytes,
    encodedBytes: bytes,
    transferBytes: bytes,
    startMs: timeMs,
    requestStartMs: maybeTimeMs,
    responseStartMs: maybeTimeMs,
    responseEndMs: maybeTimeMs,
    connection: maybeId,
    pipelineIndex: fc.option(fc.nat({ max: 500 })),
    batch: maybeId,
    attempts: fc.nat({ max: 2 }),
    lostAttempts: fc.array(
      fc.record({
        requestStartMs: timeMs,
        endMs: timeMs,
        connection: id,
        pipelineIndex: fc.option(fc.nat({ max: 500 })),
        code: fc.constantFrom('connection-lost', 'out-of-step'),
      }),
      { maxLength: 2 },
    ),
    requestHeaders: headers,
    responseHeaders: headers,
    mimeType: anyText,
    redirectUrl: fc.option(url),
    width: fc.option(fc.nat()),
    height: fc.option(fc.nat()),
    error: fc.option(fc.record({ code: fc.constantFrom(...loaderErrorCodes), message: anyText })),
  })
  .map((given) => resource(given));

const anyConnection = fc
  .record({
    id,
    httpVersion,
    remoteAddress: fc.option(fc.oneof(fc.ipV4(), fc.ipV6(), anyText, fc.constant('fe80::1%eth0'))),
    startMs: fc.double({ min: -100_000, max: 1000, noNaN: true }),
    lookupEndMs: maybeTimeMs,
    connectEndMs: maybeTimeMs,
    secureEndMs: maybeTimeMs,
    endMs: maybeTimeMs,
    requests: fc.nat({ max: 500 }),
  })
  .map((given) => connection(given));

const anyBatch = fc.record({ id, connection: id, requests: bytes, bytes, sentMs: timeMs });

export const anyPageLoad: fc.Arbitrary<PageLoad> = fc
  .record({
    url,
    protocol: fc.constantFrom('auto', 'http1.0', 'persistent', 'pipelined', 'h2'),
    startedAtMs: fc.double({ min: 0, max: Date.UTC(9000, 0), noNaN: true }),
    resources: fc.array(anyResource, { maxLength: 12 }),
    connections: fc.array(anyConnection, { maxLength: 4 }),
    batches: fc.array(anyBatch, { maxLength: 4 }),
    moments: fc.record({
      firstByteMs: maybeTimeMs,
      htmlEndMs: maybeTimeMs,
      sizesKnownMs: maybeTimeMs,
      firstViewMs: maybeTimeMs,
      completeMs: maybeTimeMs,
    }),
  })
  .map((given) => pageLoad(given as Parameters<typeof pageLoad>[0]));
