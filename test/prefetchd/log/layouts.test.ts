// A real log of browsers, rewritten as other software would have written it: the same visits must be read from each.

import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readLog } from '../../../prefetchd/log/index.ts';
import { accessesOf, readChunks } from '../../contracts/log-reader.ts';
import { startApache, whyNoApache } from '../../support/apache.ts';
import { freePort, isInstalled, startServer } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import { startNginx, whyNoNginx } from '../../support/nginx.ts';

const logs = new URL('../../../fixtures/logs/', import.meta.url);
const packed = readFileSync(new URL('elastic-apache-2015.combined.log.gz', logs));
const real = gunzipSync(packed).toString('utf8');

interface Line {
  address: string;
  time: string;
  request: string;
  method: string;
  url: string;
  status: string;
  bytes: string;
  referer: string;
  agent: string;
  /** Number of the line. */
  at: number;
  date: Date;
}

const shape =
  /^(\S+) - - \[([^\]]+)\] "((\S+) (\S+) HTTP[^"]*)" (\d+) (\d+|-) "([^"\\]*)" "([^"\\]*)"$/;

/** What cannot be written in each layout (quotes, broken requests) is left out of all. */
const lines: Line[] = real
  .split('\n')
  .slice(0, 4000)
  .flatMap((text, at) => {
    const [, address = '', time = '', request = '', method = '', url = '', status = '', ...rest] =
      shape.exec(text) ?? [];
    const [bytes = '', referer = '', agent = ''] = rest;
    if (address === '' || /[|,]/.test(url) || /%|^&/.test(agent)) return [];
    const date = new Date(time.replace(/^(\d+)\/(\w+)\/(\d+):/, '$1 $2 $3 '));
    return [{ address, time, request, method, url, status, bytes, referer, agent, at, date }];
  });

type Writer = (line: Line) => string;

const head = ({ address, time }: Line) => `${address} - - [${time}]`;
const tail = ({ request, status, bytes }: Line) => `"${request}" ${status} ${bytes}`;
const agents = ({ referer, agent }: Line) => `"${referer}" "${agent}"`;
const combined: Writer = (line) => `${head(line)} ${tail(line)} ${agents(line)}`;
const common: Writer = (line) => `${head(line)} ${tail(line)}`;
const rest = (line: Line) => `[${line.time}] ${tail(line)} ${agents(line)}`;
const proxies = ['10.0.0.1', '10.0.0.2'];
const proxy = ({ at }: Line) => proxies[at % 2];
const iso = ({ date }: Line) => date.toISOString();
const stamp = ({ date }: Line) => iso({ date } as Line).replace('Z', '123456Z');
const size = ({ bytes }: Line) => (bytes === '-' ? '0' : bytes);
const json = (line: Line) => ({
  remote_addr: line.address,
  time_iso8601: iso(line),
  request: line.request,
  status: Number(line.status),
  body_bytes_sent: size(line),
  http_referer: line.referer,
  http_user_agent: line.agent,
});
const us = ({ date }: Line) =>
  `${date.getUTCMonth() + 1}/${date.getUTCDate()}/${date.getUTCFullYear()}, ${iso({ date } as Line).slice(11, 19)}`;
const encoded = (agent: string) => encodeURIComponent(agent);

const withAgents: Record<string, Writer> = {
  'lighttpd: address, site': (line) => `${line.address} www.example.com - ${rest(line)}`,
  'lighttpd, reached by its address': (line) => `${line.address} 192.0.2.1 - ${rest(line)}`,
  'site first': (line) => `www.example.com ${line.address} - - ${rest(line)}`,
  'forwarded first': (line) => `${line.address} ${proxy(line)} - - ${rest(line)}`,
  'forwarded list first': (line) => `${line.address}, 172.16.0.9 - - ${rest(line)}`,
  'forwarded list first, now and then none': (line) =>
    line.at % 50 === 0
      ? `- ${line.address} - - ${rest(line)}`
      : `${line.address}, 172.16.0.9 ${proxy(line)} - - ${rest(line)}`,
  'forwarded list second': (line) => `${proxy(line)} ${line.address}, 172.16.0.9 - - ${rest(line)}`,
  'forwarded last: nginx main': (line) => `${proxy(line)} - - ${rest(line)} "${line.address}"`,
  'forwarded last, a list': (line) =>
    `${proxy(line)} - - ${rest(line)} "${line.address}, 172.16.0.9"`,
  'forwarded last behind a proxy far away': (line) =>
    `198.51.100.${line.at % 3} - - ${rest(line)} "${line.address}"`,
  'duration first': (line) => `${1000 + line.at} ${combined(line)}`,
  'duration before the referer': (line) => `${head(line)} ${tail(line)} 0.004 ${agents(line)}`,
  'site before the request': (line) => combined(line).replace('] ', '] www.example.com '),
  'quoted site before the request': (line) => combined(line).replace('] ', '] "www.example.com" '),
  'agent before referer': (line) => `${common(line)} "${line.agent}" "${line.referer}"`,
  'agent percent-encoded': (line) => `${common(line)} "${line.referer}" "${encoded(line.agent)}"`,
  'syslog, RFC 3164': (line) => `Jul  9 12:00:00 web1 nginx: ${combined(line)}`,
  'syslog with priority': (line) => `<190>Jul 19 12:00:00 web1 nginx: ${combined(line)}`,
  'syslog, RFC 5424': (line) => `<134>1 ${iso(line)} web1 nginx 123 - - ${combined(line)}`,
  'syslog, ISO time': (line) => `${stamp(line)} web1 nginx[123]: ${combined(line)}`,
  'syslog, JSON': (line) => `${stamp(line)} web1 nginx[123]: ${JSON.stringify(json(line))}`,
  'journald JSON': (line) =>
    JSON.stringify({ __REALTIME_TIMESTAMP: '1', MESSAGE: combined(line), _PID: '1' }),
  'docker json-file': (line) =>
    JSON.stringify({ log: `${combined(line)}\n`, stream: 'stdout', time: iso(line) }),
  'docker compose': (line) => `web-1  | ${combined(line)}`,
  'docker compose with times and colours': (line) =>
    `\x1b[36mweb-1  | \x1b[0m${iso(line)} ${combined(line)}`,
  'Kubernetes CRI': (line) => `${stamp(line)} stdout F ${combined(line)}`,
  'Kubernetes CRI, JSON': (line) => `${stamp(line)} stdout F ${JSON.stringify(json(line))}`,
  'kubectl --timestamps': (line) => `${stamp(line)} ${combined(line)}`,
  'kubectl --prefix': (line) => `[pod/web-5d4f/nginx] ${combined(line)}`,
  'JSON with forwarded': (line) =>
    JSON.stringify({ ...json(line), remote_addr: proxy(line), http_x_forwarded_for: line.address }),
  'AWS S3': (line) =>
    `79a59df900b949e5 bucket [${line.time}] ${line.address} - 3E57427F3E REST.GET.OBJECT ${encoded(line.url)} "${line.request}" ${line.status} - ${line.bytes} ${line.bytes} 70 10 "${line.referer}" "${line.agent}" - id= SigV4 TLS host s3.amazonaws.com TLSv1.2`,
  'classic ELB': (line) =>
    `${stamp(line)} balancer ${line.address}:2817 10.0.0.1:80 0.000073 0.001048 0.000057 ${line.status} ${line.status} 0 ${size(line)} "${line.method} http://www.example.com:80${line.url} HTTP/1.1" "${line.agent}" - -`,
  'CloudFront v2 JSON': (line) => {
    const [path = '', query = '-'] = line.url.split('?');
    return JSON.stringify({
      date: iso(line).slice(0, 10),
      time: iso(line).slice(11, 19),
      'c-ip': line.address,
      'cs-method': line.method,
      'cs-uri-stem': path,
      'cs-uri-query': query,
      'sc-status': line.status,
      'sc-bytes': size(line),
      'cs(Referer)': line.referer,
      'cs(User-Agent)': encoded(line.agent),
    });
  },
  Envoy: (line) =>
    `[${iso(line)}] "${line.request}" ${line.status} - 0 ${size(line)} 12 11 "${line.address}" "${line.agent}" "id" "www.example.com" "10.0.0.9:80"`,
  Istio: (line) =>
    `[${iso(line)}] "${line.request}" ${line.status} - via_upstream - "-" 0 ${size(line)} 12 11 "-" "${line.agent}" "id" "www.example.com" "10.0.0.9:80" inbound|80|| 127.0.0.6:1 10.0.0.9:80 ${line.address}:3300 - default`,
  LTSV: (line) =>
    [
      `time:[${line.time}]`,
      `host:${line.address}`,
      `req:${line.request}`,
      `status:${line.status}`,
      `size:${size(line)}`,
      `referer:${line.referer}`,
      `ua:${line.agent}`,
    ].join('\t'),
  'Caddy console': (line) =>
    `${iso(line).slice(0, 23).replaceAll('-', '/').replace('T', ' ')}\tINFO\thttp.log.access.log0\thandled request\t${JSON.stringify(
      {
        request: {
          remote_ip: line.address,
          method: line.method,
          host: 'www.example.com',
          uri: line.url,
          headers: { 'User-Agent': [line.agent], Referer: [line.referer] },
        },
        size: Number(size(line)),
        status: Number(line.status),
      },
    )}`,
  'Akamai DataStream': (line) =>
    JSON.stringify({
      cliIP: line.address,
      reqTimeSec: String(line.date.getTime() / 1000),
      reqMethod: line.method,
      reqPath: line.url,
      statusCode: line.status,
      bytes: size(line),
      UA: encoded(line.agent),
    }),
};

const withoutAgents: Record<string, Writer> = {
  'common with %D (Tomcat)': (line) => `${common(line)} ${line.at}`,
  'common with %D first': (line) => `${line.at} ${common(line)}`,
  'Heroku router': (line) =>
    `${stamp(line)} heroku[router]: at=info method=${line.method} path="${line.url}" host=www.example.com request_id=1 fwd="${line.address}" dyno=web.1 connect=0ms service=12ms status=${line.status} bytes=${size(line)} protocol=https`,
  'IIS native': (line) => {
    const [path = '', query = '-'] = line.url.split('?');
    return `${line.address}, -, ${us(line)}, W3SVC2, WEB, 172.21.13.45, 4502, 163, ${size(line)}, ${line.status}, 0, ${line.method}, ${path}, ${query},`;
  },
};

const textOf = (writer: Writer, of = lines) => `${of.map(writer).join('\n')}\n`;

async function visitsIn(text: string) {
  const reading = readChunks([Buffer.from(text)]);
  const visits = (await accessesOf(reading)).map(
    ({ client, url, timeMs, status }) => `${client} ${url} ${status} ${Math.floor(timeMs / 1000)}`,
  );
  return { visits: visits.map((visit) => visit.replace('http://www.example.com', '')), reading };
}

/** That a text is read as the same visits, and nothing of it is left. */
async function expectVisits(text: string, expected: readonly string[]) {
  const { visits, reading } = await visitsIn(text);
  expect(reading.statistics.unparsed).toBe(0);
  const other = visits.findIndex((visit, at) => visit !== expected[at]);
  expect(visits[other]).toBe(expected[other]);
  expect(visits.length).toBe(expected.length);
  return reading.statistics.files[0]?.layouts[0];
}

describe.each([
  ['with a user agent', withAgents, combined],
  ['without', withoutAgents, common],
] as const)('layouts %s', async (_, layouts, plain) => {
  const expected = (await visitsIn(textOf(plain))).visits;

  it.each(Object.entries(layouts))('%s', async (_, writer) => {
    const layout = await expectVisits(textOf(writer), expected);
    expect(layout?.example?.line.address).toBe(expected[0]?.split(' ')[0]);
  });
});

describe('a layout that changes', async () => {
  const expected = (await visitsIn(textOf(combined))).visits;
  const half = lines.length >> 1;
  const writers: Record<string, Writer> = { combined, ...withAgents };

  it.each([
    ...['lighttpd: address, site', 'site first', 'forwarded list second', 'duration first'].map(
      (after) => ['combined', after],
    ),
    ...[
      ['combined', 'JSON with forwarded'],
      ['syslog, ISO time', 'LTSV'],
      ['Envoy', 'Istio'],
    ],
    ...['site first', 'forwarded first', 'LTSV'].map((before) => [before, 'combined']),
  ])('from %s to %s is noticed in the middle', async (before = '', after = '') => {
    const first = textOf(writers[before] as Writer, lines.slice(0, half));
    await expectVisits(first + textOf(writers[after] as Writer, lines.slice(half)), expected);
  });

  it('lines of errors first, more than are looked at, lose nothing that follows', async () => {
    const errors = '2024/01/31 10:00:00 [error] 7#7: *1 open() "/x" failed (2: No such file)\n';
    const { visits, reading } = await visitsIn(errors.repeat(150) + textOf(combined));
    expect(visits.length).toBe(expected.length);
    expect(reading.statistics.unparsed).toBe(150);
  });
});

describe('lines that real servers write', () => {
  const folder = folderOfTests();
  writeFileSync(join(folder, 'index.html'), '<p>page');
  const browser = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36';
  const addresses = ['203.0.113.7', '203.0.113.8', '203.0.113.9'];
  const forwarded = addresses.map((address) => ({ 'x-forwarded-for': `${address}, 10.0.0.1` }));
  const visitors = addresses.map((address) => `${address} ${browser}`);
  const linesIn = (path: string) =>
    existsSync(path) ? readFileSync(path, 'utf8').split('GET /index.html').length - 1 : 0;

  /** Opens the page with each of these header fields. @param log is waited for after each */
  async function visit(url: string, requests: Array<Record<string, string>>, log?: string) {
    for (const [at, fields] of requests.entries()) {
      const headers = { 'user-agent': browser, ...fields };
      const request = get(`${url}/index.html`, { agent: false, headers });
      const [response] = await once(request, 'response');
      response.resume();
      await once(response, 'end');
      if (log !== undefined) await eventually(() => linesIn(log) === at + 1);
    }
  }

  async function read(path: string) {
    const reading = readLog([path]);
    const accesses = await accessesOf(reading);
    expect(reading.statistics.unparsed).toBe(0);
    expect(new Set(accesses.map(({ url }) => url))).toEqual(new Set(['/index.html']));
    const [layout] = reading.statistics.files[0]?.layouts ?? [];
    return { accesses, clients: accesses.map(({ client }) => client), layout };
  }

  const nginxWith = (format: string, name: string, log: string) =>
    startNginx(
      ({ port }) => `types { text/html html; } ${format} access_log ${log} ${name};
        server { listen 127.0.0.1:${port}; root ${folder}; }`,
    );

  it.skipIf(whyNoNginx !== '')(`nginx's main ${whyNoNginx}`, async () => {
    const log = join(folder, 'main.log');
    const format = `log_format main '$remote_addr - $remote_user [$time_local] "$request" '
                      '$status $body_bytes_sent "$http_referer" '
                      '"$http_user_agent" "$http_x_forwarded_for"';`;
    await using nginx = await nginxWith(format, 'main', log);
    await visit(nginx.url, forwarded, log);
    const { clients, layout } = await read(log);
    expect(clients).toEqual(visitors);
    expect(layout?.fields).toContain('visitor forwarded behind the user agent');
  });

  it.skipIf(whyNoApache !== '')(
    `Apache with %{X-Forwarded-For}i first ${whyNoApache}`,
    async () => {
      const format = String.raw`%{X-Forwarded-For}i %h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\"`;
      await using apache = await startApache(folder, { logFormat: format });
      const log = join(folder, 'apache.log');
      await visit(apache.url, forwarded, log);
      expect((await read(log)).clients).toEqual(visitors);
      rmSync(log);
    },
  );

  const hasLighttpd = isInstalled('lighttpd');
  it.skipIf(!hasLighttpd)("lighttpd's default: the site in place of the ident", async () => {
    const log = join(folder, 'lighttpd.log');
    const port = await freePort();
    writeFileSync(
      join(folder, 'lighttpd.conf'),
      `server.modules = ("mod_accesslog")
       server.document-root = "${folder}"
       server.bind = "127.0.0.1"
       server.port = ${port}
       mimetype.assign = (".html" => "text/html")
       accesslog.filename = "${log}"`,
    );
    const args = ['-D', '-f', join(folder, 'lighttpd.conf')];
    await using lighttpd = await startServer('lighttpd', args, port);
    await visit(`http://localhost:${port}`, forwarded);
    // It writes its log now and then, and at its end.
    await lighttpd[Symbol.asyncDispose]();
    const { clients, layout } = await read(log);
    expect(clients).toEqual(forwarded.map(() => `127.0.0.1 ${browser}`));
    expect(layout?.example?.line).toMatchObject({ host: `localhost:${port}` });
  });

  describe('the lines that docs/learning.md recommends', () => {
    const guide = readFileSync(new URL('../../../docs/learning.md', import.meta.url), 'utf8');
    /** A page, a prefetch of it, what a script asked for, and a part. */
    const requests = [
      { 'sec-fetch-dest': 'document' },
      { 'sec-fetch-dest': 'document', 'sec-purpose': 'prefetch;prerender' },
      { 'sec-fetch-dest': 'empty' },
      { range: 'bytes=0-1' },
    ];

    async function expectRead(path: string): Promise<void> {
      const { accesses } = await read(path);
      expect(accesses).toMatchObject([
        { client: `127.0.0.1 ${browser}`, kind: 'document', prefetch: false },
        { kind: 'document', prefetch: true },
        { kind: 'object', prefetch: false },
      ]);
      for (const { durationMs = -1 } of accesses) {
        expect(durationMs).toBeGreaterThanOrEqual(0);
        expect(durationMs).toBeLessThan(60_000);
      }
    }

    it.skipIf(whyNoNginx !== '')(`nginx ${whyNoNginx}`, async () => {
      const [, format = ''] = /```nginx\n(log_format visits[\s\S]+?;)\n/.exec(guide) ?? [];
      const log = join(folder, 'visits.log');
      await using nginx = await nginxWith(format, 'visits', log);
      await visit(nginx.url, requests, log);
      await expectRead(log);
    });

    it.skipIf(whyNoApache !== '')(`Apache ${whyNoApache}`, async () => {
      const [, format = ''] = /\nLogFormat "([\s\S]+?)" visits\n/.exec(guide) ?? [];
      await using apache = await startApache(folder, { logFormat: format });
      const log = join(folder, 'apache.log');
      await visit(apache.url, requests, log);
      await expectRead(log);
    });
  });
});
