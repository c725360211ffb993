// The loads every report is tried on, by name.

import type { PageLoad } from '../../../loader/page-load.ts';
import { connection, origin, pageLoad, resource, travel } from './page-load-builder.ts';

const wan = { rttMs: 45, rate: 1250 };

export const hostileUrls = [
  `${origin}/"><script>alert(1)</script>&amp;\u2028'`,
  `${origin}/\u001b[31mred\u001b[0m\u001b]8;;http://evil.example\u0007link`,
  `${origin}/abc\u202egnp.exe\u2066\u200f`,
  `${origin}/${'a'.repeat(10_000)}.gif`,
  `${origin}/\u6f22\u5b57\u30ab\u30ca\uff21\uff22/\u7d75.png`,
  `${origin}/e\u0301\u{1f469}\u200d\u{1f4bb}.gif?q=\u0000\u0085\u009b`,
  'http://xn--fsq.example/%zz%1b[2J|{}^`[x]',
  'http://[::1]:8080/a%20b?x[]=1#frag#ment',
  'data:image/gif;base64,R0lGODlhAQABAAAAACw=',
  'not a url at all \ud800',
  '',
];

export function hostile(): PageLoad {
  const evil = '\u001b[2J\u202eevil\u009b31m \u6f22\r\n]]><script>';
  return pageLoad({
    resources: hostileUrls.map((url, i) =>
      resource({
        url,
        statusText: evil,
        startMs: i,
        requestStartMs: i + 1,
        responseStartMs: i + 2,
        responseEndMs: i + 3,
        requestHeaders: [['Cookie', 'a=1; b; =c; d=e=f']],
        responseHeaders: [
          ['Set-Cookie', `sid=${evil}; Expires=Wed, 21 Oct 2099 07:28:00 GMT; HttpOnly`],
          ['Set-Cookie', 'far=1; Expires=Wed, 21 Oct 99999 07:28:00 GMT'],
          ['Content-Type', evil],
        ],
        redirectUrl: i === 0 ? (hostileUrls[1] ?? null) : null,
        error: i % 3 === 0 ? { code: 'malformed-response', message: evil.repeat(40) } : null,
      }),
    ),
  });
}

/** Times of a row, on a connection of its own and in a batch of its own. */
function alone(id: number, startMs: number, requestStartMs: number, ...ends: [number, number]) {
  const [responseStartMs, responseEndMs] = ends;
  const times = { startMs, requestStartMs, responseStartMs, responseEndMs };
  return { ...times, connection: id, pipelineIndex: 0, batch: id };
}

export function redirected(): PageLoad {
  const from = 'http://example.org/';
  const to = 'https://www.example.org/start?lang=en';
  const hop = { kind: 'document', initiator: null, mimeType: '' } as const;
  const h2 = { httpVersion: 'h2' } as const;
  return pageLoad({
    url: from,
    protocol: 'auto',
    resources: [
      resource({
        ...{ ...hop, ...alone(1, 0, 41, 62, 62.3), url: from, encodedBytes: 0, redirectUrl: to },
        ...{ status: 301, statusText: 'Moved Permanently' },
      }),
      resource({
        ...{ ...hop, ...h2, ...alone(2, 62.4, 131, 170, 181), url: to, mimeType: 'text/html' },
        ...{ encodedBytes: 5100, bodyBytes: 21_400 },
      }),
      resource({
        ...{ ...h2, ...alone(3, 171, 215, 240, 252), kind: 'stylesheet', mimeType: 'text/css' },
        ...{ url: 'https://cdn.example.net/assets/css/site.css', initiator: to },
      }),
    ],
    connections: [
      connection({ origin: 'http://example.org', startMs: 1, lookupEndMs: 20, connectEndMs: 40 }),
      connection({
        ...{ ...h2, id: 2, origin: 'https://www.example.org', remoteAddress: '2001:db8::7' },
        ...{ startMs: 63, lookupEndMs: 70, connectEndMs: 90, secureEndMs: 130 },
      }),
      connection({
        ...{ ...h2, id: 3, origin: 'https://cdn.example.net' },
        ...{ startMs: 150, lookupEndMs: 160, connectEndMs: 180, secureEndMs: 214 },
      }),
    ],
    batches: [1, 2, 3].map((id) => ({ id, connection: id, requests: 1, bytes: 120, sentMs: 0 })),
    moments: { firstByteMs: 170, htmlEndMs: 181, sizesKnownMs: 181 },
  });
}

/** Totals counted again after rows were changed. */
function rebuilt(load: PageLoad, given: Partial<PageLoad>): PageLoad {
  const { url, protocol, resources, connections, batches, timing } = load;
  return pageLoad({ url, protocol, resources, connections, batches, moments: timing, ...given });
}

/** Revalidation on a connection kept from an earlier page: answers 304, some rows never sent. */
export function revalidated(): PageLoad {
  const load = travel({ count: 8, perBatch: 4, rttMs: 9, rate: 9000 });
  for (const [i, row] of load.resources.entries()) {
    const unsent = i > 5;
    Object.assign(row, {
      status: 304,
      statusText: 'Not Modified',
      encodedBytes: 0,
      fromCache: true,
    });
    row.transferBytes = 120;
    if (!unsent) continue;
    row.responseEndMs = row.startMs + 0.2;
    Object.assign(row, { status: 200, requestStartMs: null, responseStartMs: null, attempts: 0 });
    Object.assign(row, { connection: null, pipelineIndex: null, batch: null, transferBytes: 0 });
  }
  const kept = { startMs: -812.5, lookupEndMs: -812, connectEndMs: -790 };
  const connections = [connection({ ...kept, requests: 6 })];
  return rebuilt(load, { connections });
}

/** Some rows failed, each in its own way. */
export function broken(): PageLoad {
  const load = travel({ count: 10, perBatch: 5, rttMs: 20, rate: 900 });
  const fail = (i: number, given: Partial<(typeof load.resources)[number]>) =>
    Object.assign(load.resources[i] ?? {}, given);
  const never = { status: null, httpVersion: null, transferBytes: 0, encodedBytes: 0 };
  const noTimes = { responseStartMs: null, responseEndMs: null };
  fail(2, { status: 404, statusText: 'Not Found' });
  const closed = 'the server closed the connection after 5 responses';
  fail(4, { error: { code: 'connection-lost', message: closed }, responseEndMs: null });
  const late = 'no byte of the response within 10000 ms';
  fail(6, {
    ...{ ...never, ...noTimes, attempts: 2, error: { code: 'response-timeout', message: late } },
  });
  fail(8, {
    ...{ ...never, ...noTimes, requestStartMs: null, attempts: 0 },
    ...{ connection: null, pipelineIndex: null, batch: null },
    error: { code: 'address-refused', message: '10.0.0.8 is a private address' },
  });
  return rebuilt(load, {});
}

/** The page itself never came. */
export function unreachable(): PageLoad {
  const root = resource({
    kind: 'document',
    url: 'https://unreachable.example/',
    initiator: null,
    status: null,
    mimeType: '',
    encodedBytes: 0,
    attempts: 0,
    responseHeaders: [],
    error: { code: 'name-not-resolved', message: 'unreachable.example has no address' },
  });
  return pageLoad({ resources: [root], moments: { completeMs: null } });
}

export const sampleLoads: Record<string, PageLoad> = {
  pipelined: travel({ ...wan, count: 43, perBatch: 9 }),
  small: travel({ count: 3, perBatch: 2, rttMs: 0.4, rate: 40_000 }),
  huge: travel({ ...wan, count: 300, perBatch: 12 }),
  h2: travel({ ...wan, count: 43, perBatch: 9, isH2: true }),
  redirected: redirected(),
  revalidated: revalidated(),
  broken: broken(),
  unreachable: unreachable(),
  hostile: hostile(),
  empty: pageLoad({ resources: [], moments: { completeMs: null } }),
};
