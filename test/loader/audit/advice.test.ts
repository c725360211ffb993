// Each kind of advice on a page that needs it and on one that does not, over real connections.

import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { apng } from '../../../lab/make/draw/png.ts';
import { auditOf } from '../../../loader/audit/audit.ts';
import type { Finding } from '../../../loader/audit/finding.ts';
import { type AuditOptions, auditPage, type PageAudit } from '../../../loader/audit-page.ts';
import { answering, response } from '../../support/raw-server.ts';

type Fields = Record<string, string>;
type File =
  | string
  | Buffer
  | { body?: string | Buffer; headers?: Fields; status?: string; version?: string };

const types: Fields = {
  css: 'text/css',
  js: 'text/javascript',
  png: 'image/png',
  gif: 'image/gif',
  jpg: 'image/jpeg',
  bin: 'font/woff2',
};
/** What good responses have. */
const good = { ETag: '"1"', 'Cache-Control': 'max-age=600' };

async function audited(files: Record<string, File>, options?: AuditOptions): Promise<PageAudit> {
  await using server = await answering((request, connection) => {
    const file = files[request.path] ?? { status: '404 Not Found' };
    const given = typeof file === 'string' || Buffer.isBuffer(file) ? { body: file } : file;
    const { body = '', headers = {}, status, version } = given;
    const type = types[/\.(\w+)$/.exec(request.path)?.[1] ?? ''] ?? 'text/html';
    const bytes = response(body, { 'Content-Type': type, ...good, ...headers }, status, version);
    connection.write(bytes);
    if (/close/i.test(headers.Connection ?? '')) connection.end();
  });
  return await auditPage(server.origin, options);
}

const of = (audit: PageAudit, kind: string): Finding | undefined =>
  audit.findings.find((finding) => finding.kind === kind);
const names = (finding: Finding | undefined) =>
  finding?.items.map(({ url }) => new URL(url).pathname);
const words = 'some words that repeat, '.repeat(60);

describe('uncompressed text', () => {
  it('is counted as gzip would send it, in any spelling of the type', async () => {
    const headers = { 'content-type': 'Text/CSS; charset=utf-8' };
    const audit = await audited({
      '/': '<link rel=stylesheet href=a.css>',
      '/a.css': { body: words, headers },
    });
    const finding = of(audit, 'uncompressed-text');
    expect(names(finding)).toEqual(['/a.css']);
    expect(finding?.saves.bytes).toBe(words.length - gzipSync(words).length);
    expect(audit.saves.first.bytes).toBe(finding?.saves.bytes);
  });
});

describe('no advice', () => {
  const frame = (colour: number) => ({
    ...{ width: 64, height: 64, delayMs: 100 },
    rgba: Buffer.alloc(64 * 64 * 4, colour),
  });
  const sheets = ['a', 'b', 'c'].map((name) => `<link rel=stylesheet href=${name}.css>`).join('');
  const twoScripts = '<script src=a.js></script><script src=b.js></script>';
  const close = { headers: { Connection: 'close' } };

  it.each<[kind: string, of: string, Record<string, File>, AuditOptions?]>([
    [
      'uncompressed-text',
      'what is compressed, short, or must not be changed',
      {
        '/': sheets,
        '/a.css': { body: gzipSync(words), headers: { 'Content-Encoding': 'gzip' } },
        '/b.css': 'p{}',
        '/c.css': { body: words, headers: { 'Cache-Control': 'no-transform, max-age=9' } },
      },
    ],
    [
      'uncompressed-text',
      'what was not to be compressed',
      { '/': words },
      { extraHeaders: { 'Accept-Encoding': 'identity' } },
    ],
    [
      'late-resources',
      'what the document names',
      {
        '/': '<link rel=preload as=style href=b.css><link rel=stylesheet href=a.css>',
        '/a.css': '@import "b.css";',
        '/b.css': 'p{color:red}',
      },
    ],
    [
      'closed-connections',
      'connections that stay open',
      { '/': twoScripts, '/a.js': 'a', '/b.js': 'b' },
    ],
    [
      'closed-connections',
      'those that we close ourselves',
      { '/': { body: 'x', ...close } },
      { protocol: 'http1.0' },
    ],
    ...['image-formats', 'css-images'].map((kind): [string, string, Record<string, File>] => [
      kind,
      'an animated PNG: a conversion would lose the frames',
      { '/': '<img src=a.png>', '/a.png': apng([frame(90), frame(200)]) },
    ]),
  ])('%s is not said of %s', async (kind, _, files, options) => {
    expect(of(await audited(files, options), kind)).toBeUndefined();
  });
});

describe('validators and lifetimes (RFC 9110 8.8, RFC 9111 4.2.1)', () => {
  const page = ['a', 'b', 'c', 'd', 'e'].map((name) => `<script src=${name}.js></script>`).join('');
  const files = (headers: Record<string, Fields>) =>
    Object.fromEntries([
      ['/', page],
      ...Object.entries(headers).map(
        ([name, fields]) => [`/${name}.js`, { body: `/* ${name} */`, headers: fields }] as const,
      ),
    ]);
  const without = { ETag: '', 'Cache-Control': '' };

  it('names what has neither, and leaves alone what is said on purpose', async () => {
    const audit = await audited(
      files({
        a: without,
        b: { ...without, 'Last-Modified': 'Mon, 06 May 2024 07:08:09 GMT' },
        c: { ...without, 'Cache-Control': 'no-store' },
        d: { ...without, 'Cache-Control': 'max-age=31536000' },
        e: { ETag: '"e"', 'Cache-Control': 'No-Cache' },
      }),
    );
    expect(names(of(audit, 'missing-validators'))).toEqual(['/a.js']);
    expect(names(of(audit, 'no-lifetime'))?.toSorted()).toEqual(['/a.js', '/b.js']);
    expect(audit.saves.next.requests).toBe(2);
    expect(audit.saves.first.requests).toBe(0);
  });

  it.each([
    ['without lifetime', '', 'page: a prefetched copy may not be used'],
    ['with no-store', 'no-store', 'document with no-store: fetched again for the back button'],
  ])('says of a page %s what that costs', async (_, control, note) => {
    const headers = { 'Content-Type': 'text/html', 'Cache-Control': control };
    const audit = await audited({ '/': { body: '<p>', headers } });
    expect(of(audit, 'no-lifetime')?.items.map((item) => item.note)).toEqual([note]);
  });

  it.each(['image/gif', 'application/json', 'application/pdf'])(
    'gives no advice on a file of %s, and says why',
    async (type) => {
      const headers = { 'Content-Type': type, 'Cache-Control': '', ETag: '' };
      const audit = await audited({ '/': { body: '{"a":1}'.repeat(1000), headers } });
      expect(audit.findings).toEqual([]);
      expect(audit.untried).toEqual([expect.stringContaining(`${type}, not an HTML page`)]);
    },
  );
});

describe('late resources', () => {
  it('counts the steps of the longest chain but the first, once', async () => {
    const audit = await audited({
      '/': '<link rel=stylesheet href=a.css><p>text',
      '/a.css': '@import "b.css";',
      '/b.css': '@font-face{font-family:f;src:url(f.bin)}p{font-family:f}',
      '/f.bin': 'font',
    });
    const finding = of(audit, 'late-resources');
    expect(names(finding)).toEqual(['/f.bin', '/b.css']);
    expect(finding?.saves.roundTrips).toBe(2);
    expect(finding?.items[0]?.note).toBe('@font-face src in a.css > b.css');
  });
});

describe('redirects', () => {
  it('are round trips: those of the page, and the longest chain of a resource', async () => {
    const to = (Location: string, status = '301 Moved') => ({ status, headers: { Location } });
    const audit = await audited({
      '/': to('/home'),
      '/home': '<script src=a.js></script><script src=b.js></script>',
      '/a.js': to('/a2.js', '302 Found'),
      '/a2.js': to('/a3.js', '302 Found'),
      '/a3.js': 'a',
      '/b.js': to('/b2.js', '307 Temporary Redirect'),
      '/b2.js': 'b',
    });
    const finding = of(audit, 'redirects');
    expect(names(finding)?.toSorted()).toEqual(['/', '/a.js', '/a2.js', '/b.js']);
    expect(finding?.saves).toMatchObject({ requests: 4, roundTrips: 3 });
  });
});

describe('connections', () => {
  const page = '<script src=a.js></script><script src=b.js></script>';

  it.each([
    ['Connection: close', { headers: { Connection: 'Close' } }],
    ['HTTP/1.0', { headers: { Connection: 'close' }, version: 'HTTP/1.0' }],
  ])('that the server closes by %s are named', async (_, how) => {
    const audit = await audited({
      '/': { body: page, ...how },
      '/a.js': { body: 'a', ...how },
      '/b.js': { body: 'b', ...how },
    });
    const finding = of(audit, 'closed-connections');
    expect(finding?.items[0]?.note).toBe('3 of 3 responses closed the connection');
    expect(finding?.saves.roundTrips).toBe(1);
  });

  it('of redirects and errors count, as in the number of requests', async () => {
    const close = { headers: { Connection: 'close' } };
    const audit = await audited({
      '/': { status: '301 Moved', headers: { ...close.headers, Location: '/home' } },
      '/home': { body: '<script src=a.js></script><img src=missing.png>', ...close },
      '/a.js': { body: 'a', ...close },
    });
    expect(audit.load.totals.requests).toBe(4);
    expect(of(audit, 'closed-connections')?.items[0]?.note).toBe(
      '3 of 4 responses closed the connection',
    );
  });
});

describe('image tags', () => {
  it('with a size, in style, lazy, or in a comment, script, template or noscript need none', async () => {
    const gif = await sharp({ create: { width: 3, height: 4, channels: 3, background: '#123' } })
      .gif()
      .toBuffer();
    const audit = await audited({
      '/': `<!-- <img src=1.gif> --><script>"<img src=1.gif>"</script><template><img src=1.gif></template>
        <noscript><img src=1.gif></noscript><img src=1.gif width=3 height=4><IMG SRC=a.gif WIDTH=3 HEIGHT=4><img src=b.gif style="width:3px;height:4px">
        <img src=c.gif style="aspect-ratio: 3/4"><img src=d.gif width=3><img src=e.gif style="max-width:3px;max-height:4px">`,
      ...Object.fromEntries(['1', 'a', 'b', 'c', 'd', 'e'].map((name) => [`/${name}.gif`, gif])),
    });
    expect(names(of(audit, 'image-dimensions'))).toEqual(['/d.gif', '/e.gif']);
    expect(of(audit, 'image-dimensions')?.items[0]?.note).toBe('add width=3 height=4');
  });
});

describe('images', () => {
  const solid = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#c00' } });

  it('of one pixel that may count visitors are left alone', async () => {
    const dot = await solid(1, 1).gif().toBuffer();
    const audit = await audited({
      '/': '<img src="/?id=1"><img src=s.gif>',
      '/?id=1': { body: dot, headers: { 'Content-Type': 'image/gif' } },
      '/s.gif': dot,
    });
    expect(names(of(audit, 'css-images'))).toEqual(['/s.gif']);
  });

  it('that are damaged are named as not tried', async () => {
    const audit = await audited({
      '/': '<img src=a.png>',
      '/a.png': Buffer.from('\x89PNG\r\n\x1a\nnot really', 'latin1'),
    });
    expect(audit.untried.join()).toContain('/a.png');
  });

  it('without trials there is no advice on them', async () => {
    const { load } = await audited({
      '/': '<img src=a.png>',
      '/a.png': await solid(30, 30).png().toBuffer(),
    });
    expect(
      auditOf(load, new Map()).findings.filter(({ kind }) => /images|formats/.test(kind)),
    ).toEqual([]);
  });
});
