// Fields that have one value and come twice: of a list of media types the last valid one counts (Fetch Standard, "extract
// a MIME type"); of the others equal lines are one value, and of different ones none is trusted (RFC 9110 5.3).

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { describe, expect, it } from 'vitest';
import { createFetch, loadPage } from '../../../loader/index.ts';
import { renderSummary } from '../../../loader/report/summary.ts';
import { listening } from '../../server/listening.ts';
import { memoryCache } from '../../support/memory-cache.ts';
import { startNginx, whyNoNginx } from '../../support/nginx.ts';
import { answering, response } from '../../support/raw-server.ts';
import { makeTestCertificate } from '../../support/tls.ts';

const html = '<!doctype html><link rel=stylesheet href=/s.css><img src=/a.gif>';
const certificate = await makeTestCertificate();

type Answer = (path: string, res: ServerResponse) => void;

/** The same site over HTTP/1.1 and HTTP/2. */
async function site(version: 'http/1.1' | 'h2', answer: Answer) {
  const listener = (req: IncomingMessage, res: ServerResponse) => answer(req.url ?? '', res);
  const lax = { ...certificate, strictSingleValueFields: false };
  const server =
    version === 'h2' ? createSecureServer(lax, listener as never) : createServer(listener);
  return `${version === 'h2' ? 'https' : 'http'}://127.0.0.1:${await listening(server)}`;
}

const tls = { ca: certificate.cert };
const paths = (load: { resources: { url: string }[] }) =>
  load.resources.map(({ url }) => new URL(url).pathname);

describe.each(['http/1.1', 'h2'] as const)('Content-Type over %s', (version) => {
  const load = async (types: string[]) => {
    const origin = await site(version, (path, res) => {
      const isSheet = path === '/s.css';
      const sheetTypes = types.map((type) => type.replaceAll('text/html', 'text/css'));
      res.setHeader('content-type', path === '/' ? types : isSheet ? sheetTypes : 'image/gif');
      res.end(path === '/' ? html : isSheet ? 'body{background:url(/b.gif)}' : 'x');
    });
    return loadPage(origin, { tls });
  };

  it.each([
    [['text/html', 'text/html']],
    [['text/html; charset=utf-8', 'text/html']],
    [['text/plain', 'text/html']],
    [['text/html', 'nonsense']],
    [['text/html', '*/*']],
    [['text/html;charset=utf-8, text/html']],
  ])('%j: the page and its sheet are read', async (types) => {
    const loaded = await load(types);
    expect(paths(loaded)).toEqual(['/', '/s.css', '/a.gif', '/b.gif']);
    expect(loaded.resources.slice(0, 2).map(({ mimeType }) => mimeType)).toEqual([
      'text/html',
      'text/css',
    ]);
  });

  it('the charset of the first counts if the last, of the same type, has none', async () => {
    const origin = await site(version, (path, res) => {
      res.setHeader('content-type', ['text/html; charset=windows-1252', 'text/html']);
      res.end(path === '/' ? Buffer.from('<img src="/?\xe9">', 'latin1') : '');
    });
    const loaded = await loadPage(origin, { tls });
    expect(loaded.resources[1]?.url).toBe(`${origin}/?%E9`);
  });

  it('a page that is not HTML by the last of them is not read, and the summary says so', async () => {
    const loaded = await load(['text/html', 'text/plain']);
    expect(paths(loaded)).toEqual(['/']);
    const summary = renderSummary(loaded, { columns: 80, color: false });
    expect(summary).toContain('text/plain, not HTML: nothing that it names is fetched');
  });
});

it.skipIf(whyNoNginx !== '')('nginx with add_header Content-Type: the page is read', async () => {
  await using nginx = await startNginx(
    ({ port }) =>
      `server { listen 127.0.0.1:${port}; default_type text/html; add_header Content-Type text/html;
       location / { return 200 '<img src=/a.gif>'; } }`,
  );
  const loaded = await loadPage(nginx.url);
  expect(paths(loaded)).toEqual(['/', '/a.gif']);
});

describe.each(['http/1.1', 'h2'] as const)('Location over %s', (version) => {
  const redirecting = (...targets: string[]) =>
    site(version, (path, res) => {
      if (path !== '/') return res.end('page');
      res.statusCode = 302;
      res.setHeader('location', targets);
      return res.end();
    });

  it('equal ones are one', async () => {
    const origin = await redirecting('/x', '/x');
    expect(paths(await loadPage(origin, { tls }))).toEqual(['/', '/x']);
    await using fetch = createFetch({ tls, protocol: 'auto' });
    expect(new URL((await fetch(origin)).url).pathname).toBe('/x');
  });

  it('different ones are followed by nobody', async () => {
    const origin = await redirecting('/x', '/y');
    const loaded = await loadPage(origin, { tls });
    expect(paths(loaded)).toEqual(['/']);
    const error = { code: 'invalid-redirect', message: expect.stringContaining('2 different') };
    expect(loaded.resources[0]).toMatchObject({ status: 302, error });
    await using fetch = createFetch({ tls, protocol: 'auto' });
    await expect(fetch(origin)).rejects.toMatchObject({ cause: error });
  });
});

describe('validators', () => {
  const revisit = async (...lines: [string, string][]) => {
    const lineText = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    await using server = await answering((_request, connection) =>
      connection.write(
        `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n${lineText}Content-Length: 2\r\n\r\nok`,
      ),
    );
    const cache = memoryCache();
    for (const _visit of [1, 2]) await loadPage(server.origin, { cache });
    return server.requests[1]?.headers;
  };
  const date = 'Mon, 05 Jan 2026 10:00:00 GMT';

  it('equal ones are asked about', async () => {
    const headers = await revisit(
      ...[['ETag', '"a"'] as [string, string], ['ETag', '"a"'] as [string, string]],
      ...[['Last-Modified', date] as [string, string], ['Last-Modified', date] as [string, string]],
      ['Cache-Control', 'no-cache'],
    );
    expect(headers).toMatchObject({ 'if-none-match': '"a"', 'if-modified-since': date });
  });

  it('different ones are not', async () => {
    const headers = await revisit(
      ['ETag', '"a"'],
      ['ETag', '"b"'],
      ['Last-Modified', date],
      ['Last-Modified', date.replace('05', '06').replace('Mon', 'Tue')],
      ['Cache-Control', 'no-cache'],
    );
    expect(headers).not.toHaveProperty('if-none-match');
    expect(headers).not.toHaveProperty('if-modified-since');
  });
});

it('different lengths are refused (RFC 9110 8.6)', async () => {
  await using server = await answering((_request, connection) =>
    connection.write(response('ok', { 'Content-Length': '2', 'content-length': '3' })),
  );
  expect((await loadPage(server.origin)).resources[0]?.error?.code).toBe('malformed-response');
});
