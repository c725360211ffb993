// A recorded page is served as it was: with its hosts, fields, codings and validators, to any client.

import { createServer, type Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { loadPage } from '../../../loader/index.ts';
import { toHar } from '../../../loader/report/index.ts';
import { parseRecording } from '../../../server/recorded/read-recording.ts';
import { replay } from '../../../server/recorded/replay.ts';
import { listening } from '../listening.ts';

const here = { port: 0, host: '127.0.0.1' };
const hour = 3_600_000;

interface Entry {
  url: string;
  body?: string | Buffer;
  fields?: Record<string, string>;
  status?: number;
  method?: string;
}

function har(given: Entry[]): string {
  const entries = given.map(({ url, body, fields = {}, status = 200, method = 'GET' }) => {
    const headers = Object.entries(fields).map(([name, value]) => ({ name, value }));
    const isText = !Buffer.isBuffer(body);
    const content = { text: isText ? body : body.toString('base64') };
    const coding = isText ? {} : { encoding: 'base64' };
    const response = { status, headers, content: { ...content, ...coding } };
    return { request: { method, url }, response };
  });
  return JSON.stringify({ log: { entries } });
}

const html = { 'Content-Type': 'text/html' };
const replayed = (entries: Entry[]) => replay(parseRecording(har(entries), 'a.har'), here);

it('each origin has a port, and URLs lead there: absolute, without scheme, in JSON, in fields', async () => {
  const gif = Buffer.from('GIF89a\0\0', 'latin1');
  const page = `<link rel=stylesheet href=https://cdn.example/a.css integrity="sha256-abc">
    <img src="//img.example:8443/1.gif"><img src=/own.gif>
    <script>x = "https:\\/\\/cdn.example\\/b.js"; y = "https://cdn.example.evil/"</script>`;
  await using site = await replayed([
    { url: 'https://shop.example/', body: page, fields: html },
    { url: 'https://shop.example/own.gif', body: gif },
    {
      url: 'https://cdn.example/a.css',
      body: 'body { background: url(https://img.example:8443/2.gif) }',
      fields: { 'Content-Type': 'text/css', Link: '<https://img.example:8443/1.gif>; rel=preload' },
    },
    { url: 'https://img.example:8443/1.gif', body: gif },
    { url: 'https://img.example:8443/2.gif', body: gif },
  ]);
  expect([...site.addresses.keys()]).toEqual([
    'https://shop.example',
    'https://cdn.example',
    'https://img.example:8443',
  ]);
  const text = await (await fetch(site.url)).text();
  const cdn = site.addresses.get('https://cdn.example') ?? '';
  expect(text).toContain(`x = "${cdn.replaceAll('/', '\\/')}\\/b.js"`);
  expect(text).toContain('https://cdn.example.evil/');
  expect(text).not.toMatch(/integrity|cdn\.example\b(?!\.evil)|img\.example/);
  const load = await loadPage(site.url);
  expect(load.resources.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  const { resources } = site.asRecorded(load);
  expect(resources.map(({ url }) => url).sort()).toEqual([
    ...['https://cdn.example/a.css', 'https://img.example:8443/1.gif'],
    ...['https://img.example:8443/2.gif', 'https://shop.example/', 'https://shop.example/own.gif'],
  ]);
  const sheet = await fetch(`${cdn}/a.css`);
  expect(sheet.headers.get('link')).toContain(site.addresses.get('https://img.example:8443'));
});

it('validators, coding, redirects and lifetimes are the recorded ones; what bound the old connection is not', async () => {
  const then = Date.now() - 100 * hour;
  const fields = {
    ...html,
    'Content-Encoding': 'gzip',
    'Content-Length': '7',
    Date: new Date(then).toUTCString(),
    Expires: new Date(then + hour).toUTCString(),
    ETag: 'W/"abc"',
    'Set-Cookie': 'session=1',
    'Strict-Transport-Security': 'max-age=9',
    'Transfer-Encoding': 'chunked',
    'Content-Security-Policy': "upgrade-insecure-requests; img-src 'self'",
    'X-Own': 'kept',
    ':status': '200',
    'X-Split': 'a\r\nSet-Cookie: b',
  };
  const moved = { Location: 'https://shop.example/new' };
  await using site = await replayed([
    { url: 'https://shop.example/', status: 302, body: '', fields: moved },
    { url: 'https://shop.example/new', body: 'Grüße', fields },
  ]);
  const followed = await fetch(site.url);
  expect([followed.redirected, followed.headers.get('content-encoding')]).toEqual([true, 'gzip']);
  expect(await followed.text()).toBe('Grüße');
  const { headers } = followed;
  expect(Date.parse(headers.get('expires') ?? '') - Date.now()).toBeGreaterThan(hour / 2);
  expect(headers.get('content-security-policy')).toBe("img-src 'self'");
  expect(headers.get('x-own')).toBe('kept');
  expect(headers.get('x-split')).toBeNull();
  for (const name of ['set-cookie', 'strict-transport-security']) {
    expect(headers.get(name)).toBeNull();
  }
  const plain = await fetch(`${site.url}new`, { headers: { 'accept-encoding': 'identity' } });
  expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, 'Grüße']);
  const again = await fetch(`${site.url}new`, { headers: { 'if-none-match': '"abc"' } });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

it('what the recording lacks is counted, and answered 404 rather than as an empty file', async () => {
  const recording = parseRecording(
    har([
      { url: 'https://a.example/', body: 'page', fields: html },
      { url: 'https://a.example/lost.js', fields: { 'Content-Type': 'text/javascript' } },
      { url: 'https://a.example/gone', status: 0 },
      { url: 'https://a.example/api', method: 'POST', body: '{}' },
      { url: 'data:image/gif,x', body: '' },
      { url: 'https://a.example/twice', status: 304 },
      { url: 'https://a.example/twice', body: 'whole' },
    ]),
    'a.har',
  );
  expect(recording.leftOut).toEqual({ bodies: 1, failed: 1, methods: 1, schemes: 1 });
  await using site = await replay(recording, here);
  const answers = ['lost.js', 'twice', 'none'].map((path) => fetch(`${site.url}${path}`));
  const [lost, twice, none] = await Promise.all(answers);
  expect([lost?.status, await lost?.text()]).toEqual([404, expect.stringContaining('no body')]);
  expect([await twice?.text(), none?.status]).toEqual(['whole', 404]);
});

it('a page of 10,000 entries is served', async () => {
  const entries = Array.from({ length: 10_000 }, (_, n) => ({
    url: `https://${n % 2}.example/${n}`,
    body: `body ${n}`,
  }));
  await using site = await replayed(entries);
  const [even, odd] = [...site.addresses.values()];
  for (const url of [`${even}/0`, `${even}/9998`, `${odd}/9999`]) {
    expect(await (await fetch(url)).text()).toBe(`body ${new URL(url).pathname.slice(1)}`);
  }
});

it('a part of a body is no answer to a request for all of it', async () => {
  const fields = { 'Content-Range': 'bytes 0-3/9' };
  const wholeRange = { 'Content-Range': 'bytes 0-3/4' };
  await using site = await replayed([
    { url: 'https://a.example/', body: 'page', fields: html },
    { url: 'https://a.example/film', status: 206, body: 'part', fields },
    { url: 'https://a.example/whole', status: 206, body: 'part', fields: wholeRange },
  ]);
  const statusOf = async (path: string, range: [string, string][] = []) =>
    (await fetch(`${site.url}${path}`, { headers: range })).status;
  expect(await statusOf('film')).toBe(404);
  expect(await statusOf('film', [['range', 'bytes=0-3']])).toBe(206);
  expect(await statusOf('whole')).toBe(200);
});

it.each([
  ['{', /^a\.har is not JSON: /],
  ['{}', /^a\.har is no HTTP Archive: log must be an object, but is missing/],
  ['{"log": {"entries": [{"request": {}}]}}', /^a\.har is no HTTP Archive: log\.entries\[0\]\./],
  [har([]), 'a.har has no response to a GET of http or https'],
  [har([{ url: 'https://a.example/' }]), /^a\.har has no bodies: save it with content, or /],
  [
    har(Array.from({ length: 10_001 }, (_, n) => ({ url: `https://a.example/${n}`, body: '' }))),
    /log\.entries must have at most 10000 entries, not 10001/,
  ],
])('a file that is no recorded page is refused with its reason', (content, message) => {
  const told = { code: 'recording-unreadable', message: expect.stringMatching(message) };
  expect(() => parseRecording(content, 'a.har')).toThrow(expect.objectContaining(told));
});

it('what the loader records comes back byte by byte, without the secrets of the visit', async () => {
  const binary = Buffer.from(Array.from({ length: 300 }, (_, index) => index % 256));
  const server: Server = createServer((req, res) => {
    if (req.url !== '/') return res.end(binary);
    res.writeHead(200, { ...html, 'Content-Encoding': 'gzip', 'Set-Cookie': 'secret=1' });
    return res.end(gzipSync('<img src=a.gif><p>ü'));
  });
  const port = await listening(server);
  const bodies = new Map<string, Buffer>();
  const load = await loadPage(`http://127.0.0.1:${port}/`, {
    extraHeaders: { authorization: 'Bearer secret' },
    onBody: (url, body) => void bodies.set(url, body),
  });
  const text = JSON.stringify(toHar(load, { creatorVersion: '1', bodies }));
  expect(text).not.toContain('secret=1');
  expect(text).not.toContain('Bearer');
  await using site = await replay(parseRecording(text, 'a.har'), here);
  const image = await fetch(`${site.url}a.gif`);
  expect(Buffer.from(await image.arrayBuffer())).toEqual(binary);
  const coded = await loadPage(site.url);
  expect(coded.totals).toMatchObject({ responses: 2, errors: 0, bodyBytes: load.totals.bodyBytes });
});
