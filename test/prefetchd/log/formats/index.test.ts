// One story in every format: a visitor loads a page and its style sheet; another, with a quoted é in the
// user agent, revalidates a page at 10:00:05; then come a line that is no access, a HEAD, a 404, a
// crawler, a blank line, and a page named __proto__ (a prefetch where the format can tell).

import { fileURLToPath } from 'node:url';
import type { Access } from '../../../../prefetchd/access.ts';
import { formatByName } from '../../../../prefetchd/log/formats/index.ts';
import type { LogFormat } from '../../../../prefetchd/log/index.ts';
import { describeLogReader } from '../../../contracts/log-reader.ts';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0';
const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/120.0.0.0 Safari/537.36';

interface Told {
  /** Undefined: the name of the log. */
  format?: string;
  /** User agent of the second visitor; null: the format has none. */
  userAgent?: string | null;
  /** URLs begin with it. */
  site?: string;
  /** Where the log names one host. */
  host?: string;
  prefetch?: boolean;
  /** What each access took; absent: the log does not tell. */
  durationsMs?: Array<number | undefined>;
  /** The line that is no access, and why. */
  unparsed?: [line: number, reason: string];
  dropped?: Record<string, number>;
  withoutAccess?: number;
}

const quoted = `${chrome} "é"`;
const example = { host: 'example.com', userAgent: quoted };
const told = { ...example, prefetch: true, durationsMs: [12, 3, 20, 450] };
const brokenJson = 'JSON is broken';
const withoutBots = { method: 1, status: 1 };

/** By name of the log. What is absent is as in combined. */
const logs: Record<string, Told> = {
  clf: { userAgent: null, dropped: withoutBots },
  combined: {},
  'combined-extra': { format: 'combined', prefetch: true, durationsMs: [4, 4, 4, 4] },
  'vhost-combined': { site: 'https://example.com' },
  traefik: { format: 'combined', durationsMs: [12, 3, 20, 450] },
  'nginx-json': { ...told, unparsed: [4, brokenJson] },
  'caddy-json': {
    ...{ ...example, prefetch: true, durationsMs: [0.9, 0.9, 0.9, 0.9] },
    ...{ unparsed: [5, brokenJson], withoutAccess: 2 },
  },
  'traefik-json': { ...told, unparsed: [4, brokenJson] },
  cloudflare: { ...example, prefetch: true, unparsed: [5, brokenJson], withoutAccess: 2 },
  w3c: {
    userAgent: quoted,
    prefetch: true,
    durationsMs: [12, 3, 3, undefined],
    unparsed: [8, 'not the 16 fields that #Fields names'],
    withoutAccess: 6,
  },
  cloudfront: {
    ...example,
    durationsMs: [12, 3, 20, 450],
    unparsed: [6, 'not the 19 fields that #Fields names'],
    withoutAccess: 3,
  },
  'aws-alb': {
    host: 'example.com',
    durationsMs: [12, 1, undefined, 1],
    unparsed: [4, 'no client that can be read in "4"'],
  },
  squid: {
    userAgent: null,
    site: 'http://example.com',
    durationsMs: [132, 3, 20, 9],
    unparsed: [4, 'no client that can be read in "3"'],
    dropped: { 'no-request': 1, ...withoutBots },
  },
  haproxy: { ...told, unparsed: [4, 'no client [accept date]'], withoutAccess: 3 },
};

function story({ userAgent = `${chrome} \\"é\\"`, site = '', ...told }: Told): Access[] {
  const { host, prefetch = false, durationsMs = [] } = told;
  const agents = userAgent === null ? ['', ''] : [` ${firefox}`, ` ${userAgent}`];
  const [first, second] = [`192.0.2.1${agents[0]}`, `2001:db8::7${agents[1]}`];
  const visits = [
    { client: first, url: '/', at: 0, kind: 'document', status: 200, bytes: 5120 },
    { client: first, url: '/style.css', at: 1, kind: 'object', status: 200, bytes: 800 },
    { client: second, url: '/caf%C3%A9.html?x=1', at: 5, kind: 'document', status: 304, bytes: 0 },
    { client: first, url: '/__proto__', at: 20, kind: 'document', status: 200, bytes: 42 },
  ] as const;
  return visits.map(({ url, at, ...visit }, index) => ({
    ...visit,
    url: site + url,
    timeMs: Date.UTC(2024, 0, 31, 10, 0, at),
    prefetch: prefetch && url === '/__proto__',
    ...(host !== undefined && { host }),
    ...(durationsMs[index] !== undefined && { durationMs: durationsMs[index] }),
  }));
}

for (const [name, told] of Object.entries(logs)) {
  const [line, reason] = told.unparsed ?? [4, 'no [time]'];
  describeLogReader(name, {
    format: formatByName(told.format ?? name) as LogFormat,
    path: fileURLToPath(new URL(`../../../../fixtures/logs/${name}.log`, import.meta.url)),
    accesses: story(told),
    unparsed: [{ line, reason }],
    dropped: told.dropped ?? { bot: 1, ...withoutBots },
    withoutAccess: told.withoutAccess ?? 1,
  });
}
