// The beacon's script in pages of a site that knows nothing of it: under its policy, and in nothing that is no page.

import { once } from 'node:events';
import { createServer, get } from 'node:http';
import zlib from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { createProxy } from '../../../server/index.ts';
import { beaconInjection, nonceFor } from '../../../server/proxy/beacon-injection.ts';
import { listening } from '../listening.ts';

const tag = '<script src="/prefetch-beacon.js" async></script>';

interface Page {
  fields?: Record<string, string>;
  status?: number;
  /** Each in a write of its own. */
  pieces: readonly (string | Buffer)[];
}

async function through({ fields = {}, status = 200, pieces }: Page, method = 'GET') {
  const site = createServer(async (_req, res) => {
    res.writeHead(status, { 'Content-Type': 'text/html', ...fields });
    res.flushHeaders();
    for (const piece of pieces) {
      if (piece.length > 0) await new Promise((done) => res.write(piece, done));
      await new Promise(setImmediate);
    }
    res.end();
  });
  const port = await listening(site);
  const handlers = [beaconInjection('/prefetch-beacon.js')];
  await using proxy = createProxy({ upstream: `http://127.0.0.1:${port}`, handlers });
  const { url } = await proxy.listen();
  const asked = get(url, { method, agent: false });
  const [answer] = await once(asked, 'response');
  const body = Buffer.concat(await answer.toArray());
  return { headers: answer.headers, body };
}

const html = async (page: Page) => String((await through(page)).body);

describe('a document', () => {
  it.each([
    ['<!doctype html><html lang="a>b"><head><title>t</title>', '<title>'],
    ['<!DOCTYPE html>\n<html>\n<HEAD data-a=">">\n<meta charset="utf-8">\n<link rel=b>', '\n<link'],
    ['<!-- <head> --><!doctype html><!-- - --> <p>no head', '<p>'],
    ['\ufeff<html><body>no doctype', '<body>'],
    ['<!doctype html>', ''],
  ])('%s', async (page, behind) => {
    const at = behind === '' ? page.length : page.lastIndexOf(behind);
    const expected = page.slice(0, at) + tag + page.slice(at);
    expect(await html({ pieces: [page] })).toBe(expected);
    // Byte by byte, as it may come.
    expect(await html({ pieces: [...Buffer.from(page)].map((byte) => Buffer.from([byte])) })).toBe(
      expected,
    );
  });

  const page = '<!doctype html><head></head><p>é';
  const injected = page.replace('<head>', `<head>${tag}`);

  it.each([
    ['gzip', zlib.gzipSync, zlib.gunzipSync],
    ['br', zlib.brotliCompressSync, zlib.brotliDecompressSync],
    ['zstd', zlib.zstdCompressSync, zlib.zstdDecompressSync],
    ['deflate', zlib.deflateSync, zlib.inflateSync],
  ])('in %s', async (coding, code, decode) => {
    const fields = { 'Content-Encoding': coding };
    const { headers, body } = await through({ fields, pieces: [code(Buffer.from(page))] });
    expect(headers['content-encoding']).toBe(coding);
    expect(String(decode(body))).toBe(injected);
  });

  it('has no length, range or strong validator of other bytes; so it is with HEAD', async () => {
    const length = String(Buffer.byteLength(page));
    const fields = { ETag: '"a"', 'Accept-Ranges': 'bytes', 'Content-Length': length };
    for (const method of ['GET', 'HEAD']) {
      const { headers } = await through({ fields, pieces: method === 'GET' ? [page] : [] }, method);
      expect(headers.etag).toBe('W/"a"');
      expect(headers).not.toHaveProperty('accept-ranges');
      expect(headers).not.toHaveProperty('content-length');
    }
  });

  it('has the nonce of its policy', async () => {
    const fields = { 'Content-Security-Policy': "script-src 'nonce-abc='" };
    expect(await html({ fields, pieces: [page] })).toContain(
      '<script src="/prefetch-beacon.js" nonce="abc=" async></script>',
    );
  });
});

const doc = '<!doctype html><head></head><p>';
test.each<[string, Page]>([
  ['JSON', { fields: { 'Content-Type': 'application/json' }, pieces: ['{"a":"<head>"}'] }],
  ['a part of a page', { pieces: ['<div><head></div>'] }],
  ['text that looks like a document', { fields: { 'Content-Type': 'text/plain' }, pieces: [doc] }],
  ['a coding that is unknown', { fields: { 'Content-Encoding': 'x-own' }, pieces: [doc] }],
  ['two codings', { fields: { 'Content-Encoding': 'gzip, br' }, pieces: [doc] }],
  ['UTF-16', { fields: { 'Content-Type': 'text/html; charset=utf-16le' }, pieces: [doc] }],
  ['an error page', { status: 404, pieces: [doc] }],
  ['no-transform (RFC 9110 7.7)', { fields: { 'Cache-Control': 'no-transform' }, pieces: [doc] }],
  ['a download', { fields: { 'Content-Disposition': 'attachment' }, pieces: [doc] }],
  [
    'a policy that does not let it',
    { fields: { 'Content-Security-Policy': "script-src 'none'" }, pieces: [doc] },
  ],
  [
    'a policy in the head',
    { pieces: ['<!doctype html><head><meta http-equiv="Content-Security-Policy" content=""><p>'] },
  ],
])('%s goes through byte for byte', async (_name, page) => {
  expect(await html(page)).toBe(page.pieces.join(''));
});

test.each([
  [[], ''],
  [["default-src 'self'"], ''],
  [["default-src 'none'; script-src 'self'"], null],
  [["default-src 'none'; script-src 'self'; connect-src 'self'"], ''],
  [["script-src 'nonce-a'; script-src-elem 'self'"], ''],
  [["script-src 'self' 'strict-dynamic' 'nonce-a'"], 'a'],
  [["script-src 'strict-dynamic' 'sha256-x'"], null],
  [["script-src 'nonce-a'", "script-src 'nonce-b'"], null],
  [["script-src 'nonce-a', script-src 'self'"], 'a'],
  [['script-src https://shop.example'], ''],
  [['script-src https://cdn.example'], null],
  [['sandbox allow-forms'], null],
  [["img-src 'none'"], ''],
])('policy %j needs the nonce %j (CSP 3)', (policies, nonce) => {
  expect(nonceFor(policies, 'shop.example')).toBe(nonce);
});
