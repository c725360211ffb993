// What a site behind the proxy reads of a stranger, who sends many fields and look-alikes of ours: it never takes
// the stranger for anybody else. A server that counts fields (Node 20 with maxHeadersCount) ignores those behind; CGI, PHP
// and WSGI read X_Forwarded_For as X-Forwarded-For (RFC 3875 4.1.18). A site of Node, one of nginx; by HTTP/1.1 and 2.

import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProxy } from '../../server/index.ts';
import type { TrustProxy } from '../../server/listen/trusted.ts';
import { startNginx, whyNoNginx } from '../support/nginx.ts';
import { startApp } from './nginx-set-up.ts';

type Field = [name: string, value: string];

const forged = '192.0.2.66';
/** Many, yet fewer than a proxy refuses. */
const many: Field[] = Array.from({ length: 60 }, (_, n) => [`a-${n}`, 'b']);
/** All are claims about who asks, where, or what for, in spellings that some server takes for its own. */
const lookAlikes: Field[] = [
  ...['X-Forwarded-For', 'x_forwarded_for', 'X_Forwarded-For', 'X.Forwarded.For', 'X-Scheme'],
  ...['X-Real-IP', 'X_Real_IP', 'X-Client-IP', 'Client-IP', 'CLIENT_IP', 'True-Client-IP'],
  ...['CF-Connecting-IP', 'X-Cluster-Client-IP', 'Forwarded-For', 'HTTP_X_FORWARDED_FOR'],
  ...['X-Forwarded-Host', 'X_Forwarded_Host', 'X-Forwarded-Server', 'X-Forwarded-Proto'],
  ...['X-Forwarded-Port', 'X-Forwarded-Prefix', 'X-Forwarded-Ssl', 'Front-End-Https', 'Forwarded'],
  ...['Proxy', 'PROXY', 'X-Original-URL', 'X_Original_URL', 'X-Rewrite-URL', 'X-Remote-User'],
  ...['Remote-User', 'Client-Cert', 'X-SSL-Client-Verify', 'X-SSL-Client-DN', 'X-SSL-Cert'],
  ...['X-Original-Forwarded-For', 'X-Original-For', 'X-Vercel-Forwarded-For', 'X-User-IP'],
  ...['CloudFront-Viewer-Address', 'CloudFront-Forwarded-Proto', 'X-Nf-Client-Connection-IP'],
  ...['X-Appengine-User-IP', 'X-Azure-SocketIP', 'X-Source-IP', 'Cf-Visitor', 'X-ARR-SSL', 'HTTPS'],
  ...['X-ARR-ClientCert', 'X-TLS-Client-Cert', 'X-Client-DN', 'Nginx-SSL-Client-Cert'],
  ...['X-MS-Client-Principal', 'X-Auth-Request-User', 'X-Authenticated-User', 'X-Original-Proto'],
  ...['X-MS-Original-URL', 'X-Script-Name', 'X-FORWARDED-FOR'],
].map((name) => [name, name.toLowerCase() === 'forwarded' ? `for=${forged}` : forged]);

/** Not about the client, though they begin alike: these pass. */
const others: Field[] = ['X-Requested-With', 'X-Client-Version', 'X-Original', 'Client-Name'].map(
  (name) => [name, 'kept'],
);

async function askHttp1(url: URL, fields: Field[]): Promise<string> {
  const socket = connect(Number(url.port), url.hostname);
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`GET / HTTP/1.1\r\nHost: site\r\n${lines}Connection: close\r\n\r\n`);
  return (await text(socket)).split('\r\n\r\n')[1] ?? '';
}

async function askHttp2(url: URL, fields: Field[]): Promise<string> {
  const session = connectHttp2(url.origin);
  const lower = fields.map(([name, value]) => [name.toLowerCase(), value]);
  const headers = { ':authority': 'site', ...Object.fromEntries(lower) };
  const body = await text(session.request(headers));
  session.close();
  return body;
}

const clients = { 'HTTP/1.1': askHttp1, 'HTTP/2': askHttp2 };

async function startProxy(upstream: string, trustProxy: TrustProxy): Promise<URL> {
  const proxy = createProxy({ upstream, trustProxy });
  onTestFinished(() => proxy.close());
  return new URL((await proxy.listen()).url);
}

/** A site that says which fields it got. */
async function tellingSite(): Promise<string> {
  const site = await startApp((request, response) => {
    response.end(JSON.stringify(request.rawHeaders));
  });
  onTestFinished(() => site[Symbol.asyncDispose]());
  return `http://${site.address}`;
}

const ours = [
  ...['Host', 'site', 'X-Forwarded-For', '127.0.0.1'],
  ...['X-Forwarded-Proto', 'http', 'X-Forwarded-Host', 'site'],
];

describe.each(['HTTP/1.1', 'HTTP/2'] as const)('by %s', (by) => {
  it('a site that counts is told who asks', async () => {
    const url = await startProxy(await tellingSite(), false);
    const got = JSON.parse(await clients[by](url, many));
    expect(got).toContain(many.at(-1)?.[0]);
    expect(got.slice(0, 8)).toEqual(ours);
  });

  it('no look-alike of a stranger passes', async () => {
    const url = await startProxy(await tellingSite(), false);
    const body = await clients[by](url, [...lookAlikes, ...others]);
    expect(body).not.toContain(forged);
    const got = JSON.parse(body) as string[];
    expect(got.slice(0, 8)).toEqual(ours);
    expect(got.filter((value) => value === 'kept')).toHaveLength(others.length);
  });

  it('a proxy that is trusted is believed, but in no other spelling', async () => {
    const url = await startProxy(await tellingSite(), 'loopback');
    const real = { 'X-Forwarded-For': '192.0.2.1', 'X-Real-IP': '192.0.2.1' };
    const spelled = { 'X-Forwarded-Port': '443', x_forwarded_for: forged, 'X.Real.IP': forged };
    const body = await clients[by](url, Object.entries({ ...real, ...spelled }));
    expect(body).not.toContain(forged);
    const got = JSON.parse(body) as string[];
    const sent = (name: string) => got[got.findIndex((each) => each.toLowerCase() === name) + 1];
    expect(got.slice(2, 4)).toEqual(['X-Forwarded-For', '192.0.2.1, 127.0.0.1']);
    expect([sent('x-real-ip'), sent('x-forwarded-port')]).toEqual(['192.0.2.1', '443']);
  });

  const nginxTakes = `nginx that reads underscores takes a stranger for nobody else ${whyNoNginx}`;
  it.skipIf(whyNoNginx)(nginxTakes, async () => {
    await using nginx = await startNginx(
      ({ port }) => `access_log off; underscores_in_headers on;
      set_real_ip_from 127.0.0.1; real_ip_header X-Forwarded-For;
      server { listen 127.0.0.1:${port};
        location / { return 200 "$remote_addr|$http_x_forwarded_for|$http_x_real_ip|$http_proxy|$http_x_original_url"; } }`,
    );
    const url = await startProxy(nginx.url, false);
    expect(await clients[by](url, [...lookAlikes, ...many])).toBe('127.0.0.1|127.0.0.1|||');
  });
});
