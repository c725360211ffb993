// Flags of `prefetchd proxy` for what hints() and createProxy can do: in which forms hints go out, what the site is told
// of visitors, how many connections there may be. By flag, by variable, by file.

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { createServer as createHttpsServer, get as httpsGet } from 'node:https';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { get, having, pageOf, takesDcz } from '../server/dictionaries/pages.ts';
import { listening } from '../server/listening.ts';
import { freePort } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { startRawServer } from '../support/raw-server.ts';
import { makeTestCertificate } from '../support/tls.ts';
import { visit } from '../support/visit.ts';
import { enough, expectLink, startApp, walk } from './nginx-set-up.ts';
import { proxying } from './proxying.ts';

const folder = folderOfTests();

const proxied = (upstream: string, args: readonly string[] = [], env = {}) =>
  proxying(folder, `http://${upstream}`, ['--threshold', '0.1', ...args], env);

it.each([
  ['flags', ['--speculation-rules', '/rules.js'], {}],
  ['variables', [], { PREFETCHD_SPECULATION_RULES: '/rules.js' }],
])('hints go out as speculation rules, told by %s', async (_, args, env) => {
  await using app = await startApp();
  await using proxy = await proxied(app.address, args, env);
  await walk(proxy.url, enough, ['/a', '/b'], proxy.learned);
  const { headers } = await expectLink(`${proxy.url}/a`, /^<\/b>; rel=prefetch/);
  expect(headers['speculation-rules']).toMatch(/^"\/speculation-rules\.json\?url=%2Fa"/);
  const rules = await visit(`${proxy.url}/speculation-rules.json?url=/a`, { from: '127.0.0.99' });
  expect(JSON.parse(rules.body).prefetch[0].urls).toEqual(['/b']);
  const script = await visit(`${proxy.url}/rules.js`);
  expect(script.headers['content-type']).toMatch(/^text\/javascript/);
  expect(app.asked.filter((line) => /rules\.js/.test(line))).toEqual([]);
});

it.each(['on', 'h2'])('--early-hints %s: 103 over HTTP/1.1 with on alone', async (when) => {
  const isEarly = when === 'on';
  await using app = await startApp();
  await using proxy = await proxied(app.address, ['--early-hints', when]);
  const style = { Accept: 'text/css', 'Sec-Fetch-Dest': 'style', Referer: `${proxy.url}/a` };
  const fieldsOf = (path: string): Record<string, string> => (path.endsWith('.css') ? style : {});
  await walk(proxy.url, enough, ['/a', '/a.css'], proxy.learned, fieldsOf);
  await expectLink(`${proxy.url}/a`, /<\/a\.css>; rel=preload/);
  let early: string[] = [];
  let visitor = 100;
  // A proxy that is busy for a moment leaves a page without hints.
  await eventually(async () => {
    early = await interimOf(`${proxy.url}/a`, `127.0.0.${visitor++}`);
    return early.length > 0 || !isEarly;
  }, '103');
  expect(early).toEqual(isEarly ? [expect.stringMatching(/^103 <\/a\.css>; rel=preload/)] : []);
});

it.each([true, false])('pages as differences with --dictionaries on: %s', async (isOn) => {
  await using app = await startApp((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html', 'Cache-Control': 'max-age=60' });
    response.end(pageOf('one'));
  });
  await using proxy = await proxied(app.address, isOn ? ['--dictionaries', 'on'] : []);
  const port = Number(new URL(proxy.url).port);
  const first = await get(port, '/a/1', takesDcz);
  const second = await get(port, '/a/2', having(first.body));
  expect(second.headers['content-encoding']).toBe(isOn ? 'dcz' : undefined);
});

/** Status and Link of the interim responses that this visitor gets. */
async function interimOf(url: string, localAddress: string): Promise<string[]> {
  const early: string[] = [];
  const sent: ClientRequest = request(url, {
    agent: false,
    localAddress,
    headers: { 'User-Agent': 'Mozilla/5.0 Firefox/130.0', Accept: 'text/html' },
  });
  sent.on('information', ({ statusCode, headers }) => early.push(`${statusCode} ${headers.link}`));
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return early;
}

async function connected(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

it('--max-connections: one more is answered 503, and the log says so once', async () => {
  await using app = await startApp();
  await using proxy = await proxied(app.address, ['--max-connections', '1']);
  const first = await connected(proxy.url);
  first.write('GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(first, 'data');
  for (let n = 0; n < 3; n++) {
    const [answer] = await once(await connected(proxy.url), 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 503 /);
  }
  await proxy.logged(/than maxConnections: answered 503/);
  expect(proxy.log.filter((line) => line.includes('maxConnections'))).toHaveLength(1);
  first.destroy();
});

it('--response-timeout: who waits too long gets 504', async () => {
  await using app = await startApp(() => {});
  await using proxy = await proxied(app.address, ['--response-timeout', '300ms']);
  expect((await visit(`${proxy.url}/a`)).status).toBe(504);
});

it('--change-origin, --ca and --tls-key: TLS on both sides, and the name of the site as Host', async () => {
  const { key, cert } = await makeTestCertificate();
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  await Promise.all([writeFile(keyFile, key), writeFile(certFile, cert)]);
  const site = createHttpsServer({ key, cert }, (req, res) => res.end(req.headers.host));
  const port = await listening(site);
  const flags = ['--change-origin', 'on', '--ca', certFile];
  const tls = ['--tls-key', keyFile, '--tls-cert', certFile];
  const upstream = `https://localhost:${port}`;
  await using proxy = await proxying(folder, upstream, [...flags, ...tls]);
  expect(proxy.url).toMatch(/^https:/);
  const asking = httpsGet(`${proxy.url}/a`, { ca: cert, agent: false });
  const [answer] = await once(asking, 'response');
  expect(await text(answer)).toBe(`localhost:${port}`);
});

it.each([
  ['inject', '<head><script src="/prefetch-beacon.js" async></script></head>', true],
  ['on', '<head></head>', true],
  ['off', '<head></head>', false],
])('--beacon %s', async (how, head, isServed) => {
  await using app = await startApp((_, res) => {
    res.setHeader('Content-Type', 'text/html').end('<!doctype html><head></head><p>');
  });
  await using proxy = await proxied(app.address, ['--beacon', how]);
  expect((await visit(`${proxy.url}/a`)).body).toContain(head);
  const { headers } = await visit(`${proxy.url}/prefetch-beacon.js`);
  expect(headers['content-type']?.startsWith('text/javascript')).toBe(isServed);
});

it('a site that does not answer is told of at the start, one that does is not', async () => {
  const port = await freePort();
  const upstream = `http://127.0.0.1:${port}`;
  await using proxy = await proxying(folder, upstream);
  const line = await proxy.logged(/the site does not answer/);
  expect(line).toContain('ECONNREFUSED');
  expect(line).toContain(upstream);
  await using app = await startApp();
  await using good = await proxied(app.address);
  await visit(`${good.url}/a`);
  expect(good.log.join()).not.toContain('does not answer');
});

it('--request-timeout and --max-request-body-bytes: 408 and 413', async () => {
  await using app = await startRawServer({});
  const limits = ['--request-timeout', '100ms', '--max-request-body-bytes', '10'];
  await using proxy = await proxied(`127.0.0.1:${app.port}`, limits);
  for (const [length, status] of Object.entries({ 5: 408, 11: 413 })) {
    const socket = await connected(proxy.url);
    socket.write(`POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\nx`);
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    socket.destroy();
  }
});
