// Shared dictionaries on a server (RFC 9842): which responses become dictionaries, which are compressed with one, and
// what is left alone.

import { once } from 'node:events';
import type { OutgoingHttpHeaders, RequestListener } from 'node:http';
import { request } from 'node:http';
import { connect } from 'node:http2';
import { buffer } from 'node:stream/consumers';
import { createGzip, gunzipSync, gzipSync } from 'node:zlib';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { createOrigin, dictionaries, ServerError } from '../../../server/index.ts';
import { eventually } from '../../support/eventually.ts';
import { makeSite } from '../site.ts';
import { fromDcz, get, having, pageOf, serving, takesDcz } from './pages.ts';

const html = { 'Content-Type': 'text/html', 'Cache-Control': 'public, max-age=60' };

/** Answers every URL with a page of its own. */
const site =
  (fields: OutgoingHttpHeaders = html): RequestListener =>
  (req, res) => {
    res.writeHead(200, fields);
    res.end(pageOf(req.url ?? ''));
  };

const host = '127.0.0.1';
const one = pageOf('/a/1');
const two = pageOf('/a/2');

describe('a page of the same template', () => {
  it('is sent as its difference to the page that the client has', async () => {
    const { port, shelf } = await serving(site());
    const first = await get(port, '/a/1', takesDcz);
    const use = 'match="/a/*", match-dest=("document" "frame" "iframe")';
    expect(first.headers['use-as-dictionary']).toBe(use);
    expect(first.headers['content-encoding']).toBeUndefined();
    expect(first.body.toString()).toBe(one);

    const second = await get(port, '/a/2', having(one));
    expect(second.headers['content-encoding']).toBe('dcz');
    expect(second.headers.vary).toBe('Accept-Encoding, Available-Dictionary');
    expect(second.headers['content-length']).toBe(String(second.body.length));
    expect(second.body.length).toBeLessThan(200);
    expect(fromDcz(second, one)).toBe(two);
    const bytes = one.length + two.length;
    expect(shelf.stats()).toEqual({ dictionaries: 2, bytes, coded: 1, unknown: 0 });
  });

  it('with a strong validator gets a weak one, of which a 304 still tells', async () => {
    const app = express();
    app.use(dictionaries());
    app.get('/a/:name', (req, res) => {
      res.set('Cache-Control', 'public, max-age=60').set('ETag', '"v1"').send(pageOf(req.url));
    });
    const { port } = await serving(app);
    await get(port, '/a/1', takesDcz);
    const coded = await get(port, '/a/2', having(one));
    expect(coded.headers['content-encoding']).toBe('dcz');
    expect(coded.headers.etag).toBe('W/"v1"');
    const asked = { ...having(one), 'if-none-match': coded.headers.etag };
    const { status, headers } = await get(port, '/a/2', asked);
    expect(status).toBe(304);
    expect(headers.vary).toContain('Available-Dictionary');
  });

  it('is taken from a site that compresses', async () => {
    const { port } = await serving((req, res) => {
      const fields = ['Content-Type', 'text/html', 'ETag', '"x-gzip"'];
      res.writeHead(200, [...fields, 'Content-Encoding', 'gzip']);
      res.end(gzipSync(pageOf(req.url ?? '')));
    });
    const first = await get(port, '/a/1', takesDcz);
    expect(gunzipSync(first.body).toString()).toBe(one);
    const second = await get(port, '/a/2', having(one));
    expect(second.headers['content-encoding']).toBe('dcz');
    expect(fromDcz(second, one)).toBe(two);
  });

  it.each([
    ['plain', null],
    ['gzip', () => createGzip()],
  ])('that is written in pieces arrives as it is written: %s', async (coding, coder) => {
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    const { port } = await serving((req, res) => {
      res.setHeader('Content-Type', 'text/html; charset=utf-8').setHeader('ETag', '"x"');
      if (coding !== 'plain') res.setHeader('Content-Encoding', coding);
      const out = coder?.() ?? res;
      if (out !== res) out.pipe(res);
      const page = pageOf(req.url ?? '');
      out.write(page.slice(0, 1000));
      if (out !== res) (out as ReturnType<typeof createGzip>).flush();
      const end = () => out.end(page.slice(1000), 'utf8');
      if (req.url === '/a/1') end();
      else rest.then(end);
    });
    await get(port, '/a/1', takesDcz);
    const asking = request({ port, host, path: '/a/2', headers: having(one), agent: false }).end();
    const [answer] = await once(asking, 'response');
    expect(answer.headers['content-encoding']).toBe('dcz');
    expect(answer.headers['content-length']).toBeUndefined();
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    // The end waits until more than the head of the coding is here.
    await eventually(() => Buffer.concat(chunks).length > 48, 'the first piece');
    goOn();
    await once(answer, 'end');
    expect(fromDcz({ body: Buffer.concat(chunks) }, one)).toBe(two);
  });

  it('comes over HTTP/2 and 1.0 too', async () => {
    await using files = await makeSite({ 'a/1.html': one, 'a/2.html': two });
    const options = { handlers: [dictionaries()], maxAgeSeconds: 60 };
    await using origin = createOrigin(files.folder, options);
    const { url, port } = await origin.listen();
    await get(port, '/a/1.html', takesDcz);
    const http1 = await get(port, '/a/2.html', having(one));
    expect(fromDcz(http1, one)).toBe(two);

    const session = connect(url);
    const fields = { ...having(one), ':authority': `127.0.0.1:${port}`, ':path': '/a/2.html' };
    const stream = session.request(fields as OutgoingHttpHeaders);
    const [headers] = await once(stream, 'response');
    expect(headers['content-encoding']).toBe('dcz');
    expect(fromDcz({ body: await buffer(stream) }, one)).toBe(two);
    session.destroy();
  });
});

describe('a response stays as it is', () => {
  const same = async (fields: OutgoingHttpHeaders, asked: OutgoingHttpHeaders = {}) => {
    const { port, shelf } = await serving((req, res) => {
      const isFirst = req.url === '/a/1';
      res.writeHead(200, isFirst ? html : fields);
      res.end(pageOf(req.url ?? ''));
    });
    await get(port, '/a/1', takesDcz);
    const { headers, body } = await get(port, '/a/2', { ...having(one), ...asked });
    expect(headers['content-encoding']).toBe(fields['Content-Encoding']);
    expect(headers['use-as-dictionary']).toBeUndefined();
    expect(body.toString()).toBe(two);
    expect(shelf.stats()).toMatchObject({ dictionaries: 1, coded: 0 });
  };

  it.each([
    ['private', { 'Cache-Control': 'private, max-age=60' }],
    ['no-store', { 'Cache-Control': 'no-store' }],
    ['no-transform', { 'Cache-Control': 'public, no-transform, max-age=60' }],
    ['with a cookie', { 'Set-Cookie': 'session=1' }],
    ['chosen by cookie', { Vary: 'Cookie' }],
    ['chosen by token', { Vary: 'Accept, Authorization' }],
    ['chosen by anything', { Vary: '*' }],
    ['an image', { 'Content-Type': 'image/png' }],
    ['a stream of events', { 'Content-Type': 'text/event-stream' }],
    ['in a coding that we do not know', { 'Content-Encoding': 'compress' }],
  ])('that is %s', async (_, fields) => {
    await same({ ...html, ...fields });
  });

  it.each([
    ['cookie', { cookie: 'session=1' }],
    ['authorization', { authorization: 'Bearer 1' }],
  ])('to a visitor with %s, unless the site says that it is public', async (_, asked) => {
    await same({ ...html, 'Cache-Control': 'max-age=60' }, asked);
    const { port } = await serving(site());
    await get(port, '/a/1', takesDcz);
    const { headers } = await get(port, '/a/2', { ...having(one), ...asked });
    expect(headers['content-encoding']).toBe('dcz');
  });

  it('that says nothing of a lifetime and has no validator', async () => {
    await same({ 'Content-Type': 'text/html' });
  });

  it('to another site that cannot read it (RFC 9842 9.3.2)', async () => {
    await same(html, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' });
    await same(html, { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' });
  });

  it('if other middleware sets a cookie at the last moment', async () => {
    const app = express();
    const shelf = dictionaries();
    app.use(shelf);
    app.use((_, res, next) => {
      const { writeHead } = res;
      res.writeHead = ((...given: Parameters<typeof writeHead>) => {
        res.setHeader('Set-Cookie', 'session=1');
        return writeHead.apply(res, given);
      }) as typeof writeHead;
      next();
    });
    app.get('/a/:name', (req, res) => void res.set(html).send(pageOf(req.url)));
    const { port } = await serving(app);
    await get(port, '/a/1', takesDcz);
    const { headers } = await get(port, '/a/2', having(one));
    expect(headers['use-as-dictionary']).toBeUndefined();
    expect(shelf.stats()).toMatchObject({ dictionaries: 0, coded: 0 });
  });

  it('to the last piece, with what middleware behind it makes of each', async () => {
    const { port } = await serving((_, res) => {
      const { write, end } = res;
      const upper = (each: unknown) => String(each).toUpperCase();
      res.write = ((piece: unknown) => write.call(res, upper(piece), 'utf8')) as typeof write;
      res.end = ((piece: unknown) => end.call(res, upper(piece), 'utf8')) as typeof end;
      res.setHeader('Content-Type', 'text/html').setHeader('Cache-Control', 'private');
      res.write('one ');
      res.write('two ');
      res.end('three');
    });
    expect((await get(port, '/', takesDcz)).body.toString()).toBe('ONE TWO THREE');
  });

  it('to a client that does not take dcz; its Vary says what it depends on', async () => {
    const { port, shelf } = await serving(site());
    for (const coding of ['gzip, br', 'dcz;q=0', '*', '']) {
      const asked = { ...having(one), 'accept-encoding': coding };
      const { headers } = await get(port, '/a/1', asked);
      expect(headers['use-as-dictionary']).toBeUndefined();
      expect(headers.vary).toBe('Accept-Encoding, Available-Dictionary');
    }
    expect(shelf.stats().dictionaries).toBe(0);
  });

  it('to a client that takes zstd and has no dictionary yet, which learns of it', async () => {
    const { port } = await serving(site());
    const zstd = { 'accept-encoding': 'gzip, deflate, br, zstd' };
    const { headers } = await get(port, '/a/1', zstd);
    expect(headers['use-as-dictionary']).toContain('match="/a/*"');
    const second = await get(port, '/a/2', { ...having(one), ...zstd });
    expect(second.headers['content-encoding']).toBeUndefined();
  });

  it('if a difference is no smaller', async () => {
    const { port } = await serving((req, res) => {
      res.writeHead(200, html);
      res.end(req.url === '/a/1' ? one : gzipSync(two).toString('hex').slice(0, 600));
    });
    await get(port, '/a/1', takesDcz);
    const other = await get(port, '/a/2', having(one));
    if (other.headers['content-encoding'] === 'dcz') expect(other.body.length).toBeLessThan(600);
  });

  it.each(['HEAD', 'POST'])('to %s, and to a Range', async (method) => {
    const { port } = await serving(site());
    await get(port, '/a/1', takesDcz);
    expect((await get(port, '/a/2', having(one), method)).headers.vary).toBeUndefined();
    const part = await get(port, '/a/2', { ...having(one), range: 'bytes=0-9' });
    expect(part.headers['content-encoding']).toBeUndefined();
  });

  it('without a body, with an error, with what node:http does by itself', async () => {
    const { port } = await serving((req, res) => {
      if (req.url === '/empty') res.setHeader('ETag', '"x"').setHeader('Content-Type', 'text/html');
      if (req.url === '/gone') res.statusCode = 404;
      if (req.url === '/moved') res.writeHead(302, 'Elsewhere', { Location: '/' });
      if (req.url === '/flushed') {
        res.writeHead(200, html);
        res.flushHeaders();
      }
      res.end();
    });
    const statuses = { '/empty': 200, '/gone': 404, '/moved': 302, '/flushed': 200 };
    for (const [path, status] of Object.entries(statuses)) {
      const answer = await get(port, path, takesDcz);
      expect([path, answer.status, answer.body.length]).toEqual([path, status, 0]);
    }
  });
});

describe('dictionaries', () => {
  it('are of one host only', async () => {
    const { port, shelf } = await serving(site());
    await get(port, '/a/1', { ...takesDcz, host: 'one.test' });
    const other = await get(port, '/a/2', { ...having(one), host: 'two.test' });
    expect(other.headers['content-encoding']).toBeUndefined();
    expect(shelf.stats().unknown).toBe(1);
    const same = await get(port, '/a/2', { ...having(one), host: 'ONE.test' });
    expect(same.headers['content-encoding']).toBe('dcz');
  });

  it('are bounded in number and bytes; the least recently used goes first', async () => {
    const { port, shelf } = await serving(site(), withConstants({ maxDictionaries: 2 }));
    for (const path of ['/a/1', '/a/2', '/a/3']) await get(port, path, takesDcz);
    expect(shelf.stats().dictionaries).toBe(2);
    expect((await get(port, '/a/9', having(one))).headers['content-encoding']).toBeUndefined();
    const bound = withConstants({ maxBytes: one.length + 10 });
    const { port: other, shelf: small } = await serving(site(), bound);
    for (const path of ['/a/1', '/a/2', '/a/3']) await get(other, path, takesDcz);
    expect(small.stats()).toMatchObject({ dictionaries: 1, bytes: one.length });
  });

  it('are not made of a body that is too small, too large, broken off or not what its coding says', async () => {
    const { port, shelf } = await serving(
      (req, res) => {
        const coding = req.url?.startsWith('/lie') && { 'Content-Encoding': 'gzip' };
        res.writeHead(200, { ...html, ...coding });
        if (req.url === '/bomb') res.end(Buffer.alloc(100_000, 'a'));
        else if (req.url === '/small') res.end('<p>');
        else if (req.url === '/lie') res.end(one);
        else if (req.url === '/lies') {
          res.write(one);
          setImmediate(() => res.end(one));
        } else if (req.url === '/long') {
          res.write(one);
          res.end(Buffer.alloc(100_000, 'b'));
        } else {
          res.write(one);
          res.destroy();
        }
      },
      withConstants({ maxResponseBytes: 10_000 }),
    );
    for (const path of ['/bomb', '/small', '/lie', '/lies', '/long']) {
      expect((await get(port, path, takesDcz)).status).toBe(200);
    }
    await expect(get(port, '/broken', takesDcz)).rejects.toThrow();
    expect(shelf.stats().dictionaries).toBe(0);
  });

  it('keep what the site itself says of them', async () => {
    const own = 'match="/app/*.js", id="7"';
    const { port } = await serving(site({ ...html, 'Use-As-Dictionary': own }));
    const { headers } = await get(port, '/a/1', takesDcz);
    expect(headers['use-as-dictionary']).toBe(own);
  });

  it('are for their folder, and have no pattern that would mean something else', async () => {
    const { port } = await serving(site());
    const use = async (path: string) =>
      (await get(port, path, takesDcz)).headers['use-as-dictionary'];
    expect(await use('/a(b)/1')).toBeUndefined();
    expect(await use('/:a/1')).toBeUndefined();
    expect(await use('/a/b/1?c=/d/')).toContain('match="/a/b/*"');
  });
});

it('nothing is left behind by a client that goes away', async () => {
  let closed = 0;
  const { port } = await serving((req, res) => {
    res.once('close', () => closed++);
    res.writeHead(200, html);
    if (req.url === '/a/1') res.end(one);
    else res.write(two);
  });
  await get(port, '/a/1', takesDcz);
  const asking = request({ port, host, path: '/a/2', headers: having(one), agent: false }).end();
  asking.on('error', () => {});
  await once(asking, 'response');
  asking.destroy();
  await eventually(() => closed === 2, 'the end of both');
});

it('a wrong option is refused', () => {
  expect(() => dictionaries({ match: 'page' })).toThrow(ServerError);
  expect(() => dictionaries({ match: 'page' })).toThrow('option match is unknown; there are none');
});
