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
  /** Undefined: the format has no user agent. */
  quotedUserAgent?: string;
  site?: string;
  /** Where the log names one host. */
  host?: string;
  prefetch?: boolean;
  /** What each access took; absent: the log does not tell. */
  durationsMs?: Array<number | undefined>;
}

function story({
  quotedUserAgent,
  site = '',
  host,
  prefetch = false,
  durationsMs = [],
}: Told): Access[] {
  const start = Date.UTC(2024, 0, 31, 10);
  const first = quotedUserAgent === undefined ? '192.0.2.1' : `192.0.2.1 ${firefox}`;
  const second = quotedUserAgent === undefined ? '2001:db8::7' : `2001:db8::7 ${quotedUserAgent}`;
  const access = (
    client: string,
    path: string,
    second: number,
    kind: Access['kind'],
    status: number,
    bytes: number,
  ): Access => ({
    client,
    url: site + path,
    timeMs: start + second * 1000,
    kind,
    status,
    bytes,
    prefetch: prefetch && path === '/__proto__',
    ...(host !== undefined && { host }),
  });
  const accesses = [
    access(first, '/', 0, 'document', 200, 5120),
    access(first, '/style.css', 1, 'object', 200, 800),
    access(second, '/caf%C3%A9.html?x=1', 5, 'document', 304, 0),
    access(first, '/__proto__', 20, 'document', 200, 42),
  ];
  durationsMs.forEach((durationMs, at) => {
    if (durationMs !== undefined) (accesses[at] as Access).durationMs = durationMs;
  });
  return accesses;
}

const withoutBots = { method: 1, status: 1 };
const withBots = { bot: 1, method: 1, status: 1 };
const apacheQuoted = `${chrome} \\"é\\"`;
const quoted = `${chrome} "é"`;

function check(
  name: string,
  formatName: string,
  told: Told,
  unparsed: { line: number; reason: string },
  dropped: Record<string, number>,
  withoutAccess = 1,
): void {
  describeLogReader(name, {
    format: formatByName(formatName) as LogFormat,
    path: fileURLToPath(new URL(`../../../../fixtures/logs/${name}.log`, import.meta.url)),
    accesses: story(told),
    unparsed: [unparsed],
    dropped,
    withoutAccess,
  });
}

check('clf', 'clf', {}, { line: 4, reason: 'no [time]' }, withoutBots);
check(
  'combined',
  'combined',
  { quotedUserAgent: apacheQuoted },
  { line: 4, reason: 'no [time]' },
  withBots,
);
check(
  'combined-extra',
  'combined',
  { quotedUserAgent: apacheQuoted, prefetch: true, durationsMs: [4, 4, 4, 4] },
  { line: 4, reason: 'no [time]' },
  withBots,
);
check(
  'vhost-combined',
  'vhost-combined',
  { quotedUserAgent: apacheQuoted, site: 'https://example.com' },
  { line: 4, reason: 'no [time]' },
  withBots,
);
check(
  'nginx-json',
  'nginx-json',
  { host: 'example.com', quotedUserAgent: quoted, prefetch: true, durationsMs: [12, 3, 20, 450] },
  { line: 4, reason: 'JSON is broken' },
  withBots,
);
check(
  'caddy-json',
  'caddy-json',
  {
    host: 'example.com',
    quotedUserAgent: quoted,
    prefetch: true,
    durationsMs: [0.9, 0.9, 0.9, 0.9],
  },
  { line: 5, reason: 'JSON is broken' },
  withBots,
  2,
);
check(
  'w3c',
  'w3c',
  { quotedUserAgent: quoted, prefetch: true, durationsMs: [12, 3, 3, undefined] },
  { line: 8, reason: 'not the 16 fields that #Fields names' },
  withBots,
  6,
);
check(
  'cloudfront',
  'cloudfront',
  { host: 'example.com', quotedUserAgent: quoted, durationsMs: [12, 3, 20, 450] },
  { line: 6, reason: 'not the 19 fields that #Fields names' },
  withBots,
  3,
);
check(
  'aws-alb',
  'aws-alb',
  { host: 'example.com', quotedUserAgent: apacheQuoted, durationsMs: [12, 1, undefined, 1] },
  { line: 4, reason: 'no client that can be read in "4"' },
  withBots,
);
check(
  'squid',
  'squid',
  { site: 'http://example.com', durationsMs: [132, 3, 20, 9] },
  { line: 4, reason: 'no time that can be read in "1"' },
  { 'no-request': 1, method: 1, status: 1 },
);
check(
  'haproxy',
  'haproxy',
  { host: 'example.com', quotedUserAgent: quoted, prefetch: true, durationsMs: [12, 3, 20, 450] },
  { line: 4, reason: 'no client [accept date]' },
  withBots,
  3,
);
check(
  'traefik',
  'combined',
  { quotedUserAgent: apacheQuoted, durationsMs: [12, 3, 20, 450] },
  { line: 4, reason: 'no [time]' },
  withBots,
);
check(
  'traefik-json',
  'traefik-json',
  { host: 'example.com', quotedUserAgent: quoted, prefetch: true, durationsMs: [12, 3, 20, 450] },
  { line: 4, reason: 'JSON is broken' },
  withBots,
);
check(
  'cloudflare',
  'cloudflare',
  {
    host: 'example.com',
    quotedUserAgent: quoted,
    prefetch: true,
  },
  { line: 5, reason: 'JSON is broken' },
  withBots,
  2,
);
