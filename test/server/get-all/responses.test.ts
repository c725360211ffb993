// The response to Get-All byte for byte: which responses become envelopes, what is in them and in which order, and what is
// remembered of a page (Padmanabhan 1995, 5.1; docs/protocol.md).

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect as connect2 } from 'node:http2';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { brotliCompressSync, createGzip, gzipSync, zstdCompressSync } from 'node:zlib';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { getAllField, heldTag } from '../../../http/get-all.ts';
import { fieldValue } from '../../../http/header-pairs.ts';
import type { Access } from '../../../prefetchd/access.ts';
import { dictionaries, getAll, hints, holdLine } from '../../../server/index.ts';
import { eventually } from '../../support/eventually.ts';
import { visit } from '../../support/visit.ts';
import { calm } from '../hints/set-up.ts';
import { exchange } from '../raw-client.ts';
import { serveSite } from '../site.ts';
import { ask, listen, page, partsOf, places } from './set-up.ts';

const files = {
  'index.html':
    '<link rel=stylesheet href=/a.css><img src=/1.gif><img src=2.gif><img src=/1.gif><script src=/s.js></script><p>text',
  'a.css': '@font-face { font-family: f; src: url(f.woff2) } * { font-family: f }',
  '1.gif': 'one',
  '2.gif': 'two',
  's.js': '1',
  'f.woff2': 'font',
};
const inOrder = ['/', '/a.css', '/s.js', '/f.woff2', '/1.gif', '/2.gif'];

describe('createOrigin', () => {
  it('a page and what it names, what rendering waits for first; each as it would be sent alone', async () => {
    await using site = await serveSite(files, { handlers: [getAll()] });
    const seen = await ask(site.port, '/');
    expect([seen.status, seen.isWhole]).toEqual([200, true]);
    expect(places(seen)).toEqual(inOrder);
    expect(seen.headers).toMatchObject({
      'get-all': '?1',
      vary: 'Get-All',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(seen.headers.etag).toBeUndefined();
    for (const { place, fields, body } of seen.parts ?? []) {
      const alone = await fetch(site.url + place, { headers: { 'Accept-Encoding': 'identity' } });
      expect(body.toString()).toBe(await alone.text());
      for (const name of ['content-type', 'etag', 'content-length', 'last-modified', 'vary']) {
        expect(fieldValue(fields, name)).toBe(alone.headers.get(name) ?? '');
      }
    }
  });

  it('over HTTP/1.0 and 2 as well', async () => {
    await using site = await serveSite(files, { handlers: [getAll({ trustProxy: 'loopback' })] });
    const [old] = await exchange(site.port, 'GET / HTTP/1.0\r\nGET-ALL: ?1\r\n\r\n');
    const { parts } = partsOf(old?.headers['content-type'] ?? '', old?.body ?? Buffer.alloc(0));
    expect(parts?.map(({ place }) => place)).toEqual(inOrder);
    site.origin.app.get('/only-http1.gif', (_, res) => res.type('gif').send('gif'));
    await site.site.write('index.html', `${files['index.html']}<img src=/only-http1.gif>`);
    expect(places(await ask(site.port, '/'))).toEqual([...inOrder, '/only-http1.gif']);
    const client = connect2(site.url);
    const stream = client.request({ ':path': '/', 'get-all': '?1' });
    const [head] = await once(stream, 'response');
    const over2 = partsOf(head['content-type'], await buffer(stream));
    client.close();
    expect(over2.isComplete).toBe(true);
    expect(over2.parts?.map(({ place }) => place)).toEqual(inOrder);
  });

  it('an envelope on a pipeline: the next response follows it', async () => {
    await using site = await serveSite(files, { handlers: [getAll()] });
    const lines = 'Host: a\r\nGet-All: ?1\r\n';
    const both = `GET / HTTP/1.1\r\n${lines}\r\nGET /1.gif HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`;
    const [first] = await exchange(site.port, both);
    const next = /--\r\n\r\n0\r\n\r\nHTTP\/1.1 200 OK\r\n(?:.|\r|\n)*one$/;
    expect(first?.body.toString()).toMatch(next);
  });
});

describe('what becomes no envelope passes as if there were no field', () => {
  const app = express().disable('x-powered-by').use(getAll());
  app.get('/page', (_, res) => void res.send(page('/1')));
  app.get('/image', (_, res) => void res.type('gif').send('gif'));
  app.get('/file', (_, res) => void res.attachment('a.html').send(page('/1')));
  app.get('/moved', (_, res) => res.redirect('/page'));
  app.get('/broken', (_, res) => void res.status(500).send(page('/1')));
  app.post('/page', (_, res) => void res.send(page('/1')));

  const same = async (path: string, method = 'GET', more: Record<string, string> = {}) => {
    const port = await listen(app);
    const told = await ask(port, path, more, method);
    const plain = await ask(port, path, { ...more, 'Get-All': '?0' }, method);
    for (const { headers } of [told, plain]) delete headers.date;
    expect(told).toEqual(plain);
    return told;
  };

  it.each(['/image', '/file', '/moved', '/broken', '/none'])('%s', async (path) => {
    await same(path);
  });
  it('HEAD, POST, a range, a body', async () => {
    expect((await same('/page', 'HEAD')).headers['get-all']).toBe('?1');
    await same('/page', 'POST');
    await same('/page', 'GET', { Range: 'bytes=0-3' });
    await same('/page', 'GET', { 'Content-Length': '0', Range: 'x' });
  });
  it('304', async () => {
    const port = await listen(app);
    const etag = fieldValue((await ask(port, '/page')).parts?.[0]?.fields ?? [], 'etag');
    expect(etag).not.toBe('');
    expect((await same('/page', 'GET', { 'If-None-Match': etag })).status).toBe(304);
  });
  it.each([
    ['empty', ''],
    ['false', '?0'],
    ['an integer', '1'],
    ['a list', '?1, ?1'],
    ['an open parameter', '?1;'],
    ['not ASCII', 'ÿ'],
    ['a token', '*'],
    ['too long', `?1;held=:${'A'.repeat(9000)}:`],
  ])('a field that is %s', async (_, field) => {
    const port = await listen(app);
    const seen = await ask(port, '/page', { 'Get-All': field });
    expect([seen.parts, seen.headers['get-all']]).toEqual([null, '?1']);
    expect(seen.body.toString()).toBe(page('/1'));
  });
  it('only HTML says that the field is known', async () => {
    const port = await listen(app);
    expect((await ask(port, '/image', { 'Get-All': '?0' })).headers['get-all']).toBeUndefined();
  });
});

describe('the document', () => {
  it('its fields go with it; the others stay with the response', async () => {
    const app = express().use(getAll());
    app.get('/', (_, res) => {
      res.append('Set-Cookie', ['a=1', 'b=2']);
      res.set({ Link: '</x>; rel=next', 'Cache-Control': 'max-age=5', 'Content-Language': 'en' });
      res.send(page());
    });
    const seen = await ask(await listen(app), '/');
    expect(seen.headers).toMatchObject({ link: '</x>; rel=next', 'set-cookie': ['a=1', 'b=2'] });
    expect(seen.headers['content-language']).toBeUndefined();
    const [document] = seen.parts ?? [];
    expect(document?.fields[0]).toEqual(['content-location', '/']);
    expect(fieldValue(document?.fields ?? [], 'cache-control')).toBe('max-age=5');
    expect(fieldValue(document?.fields ?? [], 'content-language')).toBe('en');
  });

  it('in pieces, of unknown length, and coded on the way', async () => {
    const html = page('/a.gif');
    const app = express().use(getAll());
    app.get('/pieces', (_, res) => {
      res.type('html');
      for (const character of html) res.write(character);
      res.end();
    });
    app.get('/gzip', (_, res) => {
      const gzip = createGzip();
      gzip.pipe(res.type('html').set('Content-Encoding', 'gzip'));
      gzip.end(html);
    });
    const coded = (path: string, coding: string, bytes: string | Buffer) =>
      app.get(path, (_, res) => void res.type('html').set('Content-Encoding', coding).end(bytes));
    coded('/zstd', 'zstd', zstdCompressSync(html));
    coded('/unknown', 'own', html);
    coded('/damaged', 'gzip', gzipSync(html).subarray(0, 15));
    app.get('/a.gif', (_, res) => void res.type('gif').send('gif'));
    const port = await listen(app);
    for (const path of ['/pieces', '/gzip', '/zstd']) {
      expect(places(await ask(port, path))).toEqual([path, '/a.gif']);
    }
    for (const path of ['/unknown', '/damaged']) {
      const seen = await ask(port, path);
      expect([places(seen), seen.isWhole]).toEqual([[path], true]);
    }
  });

  it('is not asked for in codings that cannot be read', async () => {
    const app = express().use(getAll());
    const asked: unknown[] = [];
    app.get('/', (req, res) => {
      asked.push(req.headers['accept-encoding']);
      if (String(asked[0]).includes('dcb')) res.set('Content-Encoding', 'dcb');
      res.type('html').send(brotliCompressSync(''));
    });
    await ask(await listen(app), '/', { 'Accept-Encoding': 'dcb, gzip;q=0.5, own' });
    expect(asked).toEqual(['gzip;q=0.5']);
  });
});

describe('what the client holds', () => {
  it('comes as a 304 without a body; changed, as a whole', async () => {
    await using site = await serveSite(files, { handlers: [getAll()] });
    const first = await ask(site.port, '/');
    const etagOf = (path: string) =>
      fieldValue(first.parts?.find(({ place }) => place === path)?.fields ?? [], 'etag');
    const tags = ['/a.css', '/1.gif'].map((each) => heldTag(each, etagOf(each)));
    const others = [heldTag('/2.gif', '"old"'), heldTag('/s.js', etagOf('/1.gif'))];
    const held = Buffer.from([...tags, ...others].join(''), 'hex').toString('base64');
    for (let time = 0; time < 2; time++) {
      const seen = await ask(site.port, '/', { 'Get-All': `?1;held=:${held}:` });
      expect(places(seen)).toEqual(inOrder);
      const without = seen.parts?.filter(({ fields }) => fieldValue(fields, 'status') === '304');
      expect(without?.map(({ place, body }) => place + body)).toEqual(['/a.css', '/1.gif']);
      expect(fieldValue(without?.[0]?.fields ?? [], 'etag')).toBe(etagOf('/a.css'));
    }
  });

  it('is compared for a sheet that is read for the first time, too', async () => {
    await using site = await serveSite(files, { handlers: [getAll()] });
    const alone = await ask(site.port, '/a.css', { 'Get-All': '?0' });
    const tag = Buffer.from(heldTag('/a.css', String(alone.headers.etag)), 'hex');
    const seen = await ask(site.port, '/', { 'Get-All': `?1;held=:${tag.toString('base64')}:` });
    expect(places(seen)).toEqual(inOrder);
    expect(seen.parts?.find(({ place }) => place === '/a.css')?.body.length).toBe(0);
  });
});

describe('what a page names', () => {
  it('is what it and its sheets say now', async () => {
    await using site = await serveSite(files, { handlers: [getAll()] });
    expect(places(await ask(site.port, '/'))).toEqual(inOrder);
    await site.site.write('a.css', 'body { background: url(2.gif?x) }');
    expect(places(await ask(site.port, '/'))).toContain('/2.gif?x');
    await site.site.write('index.html', page('/2.gif', '/1.gif'));
    expect(places(await ask(site.port, '/'))).toEqual(['/', '/2.gif', '/1.gif']);
  });

  it('is found in a page that would come as a difference to another', async () => {
    const handlers = [getAll(), dictionaries()];
    const long = { 'index.html': `${files['index.html']}${'text '.repeat(2000)}` };
    await using site = await serveSite({ ...files, ...long }, { handlers });
    const first = await ask(site.port, '/', { 'Get-All': '?0' });
    const hash = createHash('sha256').update(first.body).digest('base64');
    const offer = { 'Available-Dictionary': `:${hash}:`, 'Accept-Encoding': 'gzip, dcb, dcz' };
    const alone = await ask(site.port, '/', { 'Get-All': '?0', ...offer });
    const seen = await ask(site.port, '/', offer);
    expect(alone.headers['use-as-dictionary']).toBeDefined();
    expect(places(seen)).toEqual(inOrder);
  });
});

it('a client that reads with pauses gets all of it', async () => {
  const names = Array.from({ length: 60 }, (_, i) => `/${i}.gif`);
  const app = express().use(getAll());
  app.get('/', (_, res) => void res.send(page(...names)));
  app.get(/gif$/, (_, res) => void res.type('gif').send(Buffer.alloc(9_000)));
  const url = `http://127.0.0.1:${await listen(app)}/`;
  const response = await fetch(url, { headers: { 'Get-All': '?1' } });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const type = response.headers.get('content-type') ?? '';
  const { parts, isComplete } = partsOf(type, Buffer.concat(chunks));
  expect([parts?.length, isComplete]).toEqual([61, true]);
});

describe('beside other middleware', () => {
  it('an app inside an app: parts are anywhere on the site', async () => {
    const inside = express().use(getAll());
    inside.get('/page', (_, res) => void res.send(page('/top.gif', 'deep.gif')));
    inside.get('/deep.gif', (_, res) => void res.type('gif').send('deep'));
    const app = express().use('/in', inside);
    app.get('/top.gif', (_, res) => void res.type('gif').send('top'));
    const seen = await ask(await listen(app), '/in/page');
    expect(places(seen)).toEqual(['/in/page', '/top.gif', '/in/deep.gif']);
  });

  // Padmanabhan 1995, 7.3: httpd tells prefetchd which files a GETALL has sent.
  describe('hints learns of the parts that a client got, after its page', () => {
    const files: Record<string, Record<string, string>> = {
      '/1.gif': {},
      '/own.gif': { 'Cache-Control': 'private' },
      '/cookie.gif': { 'Set-Cookie': 'a=1' },
      '/per-user.gif': { Vary: 'Cookie' },
      '/large.gif': { 'Content-Length': String(300 * 1024) },
      '/2.gif': { ETag: '"2"' },
    };
    it('as if it had asked for each alone', async () => {
      await using prefetchd = calm();
      const learned: (Access & { place: string | undefined })[] = [];
      const observe = prefetchd.observe.bind(prefetchd);
      prefetchd.observe = (access) => {
        learned.push({ ...access, place: URL.parse(access.url, 'http://a')?.pathname });
        return observe(access);
      };
      await using prefetch = hints({ prefetchd });
      const app = express().use(getAll(), prefetch);
      app.get('/page', (_, res) => void res.send(page(...Object.keys(files))));
      app.get(Object.keys(files), ({ path }, res) => {
        const length = Number(files[path]?.['Content-Length'] ?? 3);
        res.set(files[path]).type('gif').send(Buffer.alloc(length));
      });
      const port = await listen(app);
      const browser = { 'User-Agent': 'Mozilla/5.0 Chrome/140.0.0.0', Accept: 'text/html' };
      const held = getAllField([heldTag('/2.gif', '"2"')]);
      const asked = { ...browser, Cookie: 'session=1', 'Get-All': held };
      expect(places(await ask(port, '/page', asked))).toEqual([
        '/page',
        '/1.gif',
        '/own.gif',
        '/per-user.gif',
        '/2.gif',
      ]);
      const ofImage = { ...browser, Accept: 'image/*', 'Get-All': '?0' };
      await ask(port, '/1.gif', ofImage);
      await eventually(() => learned.length > 3, 'the last request is learned');
      expect(learned.map(({ place, kind, status }) => [place, kind, status])).toEqual([
        ['/page', 'document', 200],
        ['/1.gif', 'object', 200],
        ['/2.gif', 'object', 304],
        ['/1.gif', 'object', 200],
      ]);
      const clients = new Set(learned.map(({ client }) => client));
      expect([clients.size, learned[1]?.page]).toEqual([1, '/page']);
    });

    it('and of none if the client left before the end', async () => {
      await using prefetchd = calm();
      let learned = 0;
      prefetchd.observe = () => {
        learned++;
        return null;
      };
      await using prefetch = hints({ prefetchd });
      const app = express().use(getAll(), prefetch);
      const [leaving, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      app.get('/page', (_, res) => void res.send(page('/1.gif', '/2.gif')));
      app.get('/1.gif', (_, res) => void res.type('gif').send('gif'));
      app.get('/2.gif', (req) => {
        leaving.resolve();
        req.once('close', () => closed.resolve());
      });
      const client = connect(await listen(app), '127.0.0.1');
      client.on('error', () => {});
      client.write(
        'GET /page HTTP/1.1\r\nHost: a\r\nUser-Agent: Mozilla/5.0 Chrome/140.0.0.0\r\nAccept: text/html\r\nGet-All: ?1\r\n\r\n',
      );
      await leaving.promise;
      client.destroy();
      await closed.promise;
      await setImmediate();
      expect(learned).toBe(0);
    });
  });

  it('hints of a page name no image that comes with it, but the next page', async () => {
    await using prefetchd = calm();
    await using prefetch = hints({ prefetchd });
    const app = express().use(getAll(), prefetch);
    app.get(['/page', '/next'], (_, res) => {
      res.set('Cache-Control', 'max-age=60').send(page('/1.gif'));
    });
    app.get('/1.gif', (_, res) => void res.type('gif').send('gif'));
    const port = await listen(app);
    const referer = `http://127.0.0.1:${port}/page`;
    const from = (visitor: number, path: string, headers = {}) =>
      visit(`http://127.0.0.1:${port}${path}`, { from: `127.0.3.${visitor}`, headers });
    for (let visitor = 1; visitor <= 8; visitor++) {
      await from(visitor, '/page');
      await from(visitor, '/1.gif', { 'sec-fetch-dest': 'image', referer });
      await from(visitor, '/next', { referer });
    }
    await eventually(() => prefetchd.stats().learned.document >= 16, 'the visits are learned');
    const alone = await from(100, '/page', { 'Get-All': '?0' });
    expect(alone.headers.link).toContain('/1.gif');
    const browser = { 'User-Agent': 'Mozilla/5.0 Firefox/140.0', Accept: 'text/html' };
    const { headers } = await ask(port, '/page', browser);
    expect(headers.link).toContain('</next>');
    expect(headers.link).not.toContain('</1.gif>');
  });

  it('a held line is held for the envelope', async () => {
    const hold = holdLine();
    const app = express().use(hold, getAll());
    app.get('/', (_, res) => void res.send(page('/1.gif')));
    app.get('/1.gif', (_, res) => void res.type('gif').send('gif'));
    const asked = { 'Hold-Line': '5', Connection: 'keep-alive' };
    const seen = await ask(await listen(app), '/', asked);
    expect([places(seen), seen.headers['hold-line']]).toEqual([['/', '/1.gif'], '5']);
    expect(hold.stats().granted).toBe(1);
  });
});
