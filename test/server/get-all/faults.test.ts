// Get-All where the site, the page or the client misbehaves: what cannot be sent is left out, what has begun and cannot be
// completed is cut off, and nothing hangs or grows.

import { once } from 'node:events';
import { connect } from 'node:net';
import express, { type Response } from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { type GetAllOptions, getAll } from '../../../server/index.ts';
import { eventually } from '../../support/eventually.ts';
import { ask, listen, page, places } from './set-up.ts';

type Answer = (res: Response) => unknown;

/** `/` names all the others, then `/last`. */
async function start(answers: Record<string, Answer>, options: GetAllOptions = {}) {
  const all = getAll(options);
  const app = express().use(all);
  const asked: string[] = [];
  app.use((req, _, next) => next(void asked.push(req.url)));
  const names = Object.keys(answers).filter((each) => each !== '/');
  app.get('/', (_, res) => void (answers['/']?.(res) ?? res.send(page(...names, '/last'))));
  for (const name of names) app.get(name, (_, res) => void answers[name]?.(res.type('gif')));
  app.get('/last', (_, res) => void res.type('gif').send('last'));
  return { port: await listen(app), all, asked };
}

const big = Buffer.alloc(200_000, 'b');
const dies: Answer = (res) => res.set('Content-Length', '9').write('x', () => res.destroy());
const throws = () => {
  throw Object.assign(new Error('on purpose'), { status: 404 });
};

describe('a part that is left out, and the others come', () => {
  it.each<[string, Answer]>([
    ['is not found', (res) => res.sendStatus(404)],
    ['is moved', (res) => res.redirect('/last')],
    ['has no content', (res) => res.sendStatus(204)],
    ['sets a cookie', (res) => res.cookie('a', '1').send('x')],
    ['varies by what was not sent', (res) => res.vary('X-Other').send('x')],
    ['varies by everything', (res) => res.vary('*').send('x')],
    ['dies before its head', (res) => res.destroy()],
    ['dies in a small body', dies],
    ['is shorter than it says', (res) => res.set('Content-Length', '9').end('x')],
    ['is longer than it says', (res) => res.set('Content-Length', '1').end('xyz')],
    ['says no length and has too much', (res) => res.write(Buffer.alloc(2_000_000)) && res.end()],
    ['is larger than a part may be', (res) => res.send(Buffer.alloc(300_000))],
    ['throws', throws],
  ])('%s', async (_, answer) => {
    const { port, all } = await start({ '/x': answer });
    const seen = await ask(port, '/');
    expect([places(seen), seen.isWhole]).toEqual([['/', '/last'], true]);
    expect(all.stats()).toMatchObject({ parts: 1, leftOut: 1, cutOff: 0 });
  });

  it('never answers: one time for all of them, and half of it for the first', async () => {
    const gone: string[] = [];
    const never = (name: string) => (res: Response) => res.once('close', () => gone.push(name));
    const answers = { '/1': never('1'), '/2': never('2') };
    const { port } = await start(answers, withConstants({ timeoutMs: 500 }));
    const seen = await ask(port, '/');
    expect([places(seen), seen.isWhole]).toEqual([['/', '/last'], true]);
    expect(gone).toEqual(['1', '2']);
  });

  it('stops in the middle of a small body', async () => {
    const stop: Answer = (res) => res.set('Content-Length', '9').write('x');
    const { port } = await start({ '/1': stop }, withConstants({ timeoutMs: 500 }));
    expect(places(await ask(port, '/'))).toEqual(['/', '/last']);
  });

  it('never answers, like all the others: the rest is not asked for', async () => {
    const names = Array.from({ length: 90 }, (_, i) => `/${i}`);
    const never = Object.fromEntries(names.map((name) => [name, () => true]));
    const { port, asked } = await start(never, withConstants({ timeoutMs: 500 }));
    expect(places(await ask(port, '/'))).toEqual(['/']);
    expect(asked.length).toBeLessThan(20);
  });
});

describe('what has begun and cannot be completed is cut off', () => {
  it.each<[string, Answer]>([
    ['dies', dies],
    ['dies, of unknown length', (res) => res.write('x', () => res.destroy())],
    ['is shorter than it says', (res) => res.set('Content-Length', '9').end('x')],
    ['is longer than it says', (res) => res.set('Content-Length', '1').end('xyz')],
  ])('a document that %s', async (_, answer) => {
    const { port } = await start({ '/': (res) => answer(res.type('html')) ?? true });
    const seen = await ask(port, '/');
    expect(seen.isWhole).toBe(false);
  });

  it('a document that dies before its head', async () => {
    const { port } = await start({ '/': (res) => res.destroy() });
    expect(await ask(port, '/')).toMatchObject({ status: 0, isWhole: false });
  });

  it('a response that is passed on and dies', async () => {
    const answer: Answer = (res) => res.type('gif').write('x', () => res.destroy());
    const { port } = await start({ '/': answer });
    expect((await ask(port, '/')).isWhole).toBe(false);
  });
});

describe('a page that asks for too much', () => {
  const pageOf = (html: string, options: GetAllOptions = {}) =>
    start({ '/': (res) => res.send(html) }, options);

  it('itself, frames, other origins, places outside, twice the same', async () => {
    const others = ['/', '', '#a', '?', 'http://b.test/last', '//b.test/last', 'data:,x'];
    const outside = ['../../etc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '/..%2fetc%2fpasswd'];
    const frames = '<iframe src="/"></iframe><iframe src="/?2"></iframe><object data="/?3">';
    const images = page(...others, ...outside, '/last', 'last', './last#x');
    const { port, asked } = await pageOf(images + frames);
    expect(places(await ask(port, '/'))).toEqual(['/', '/last']);
    expect(asked.filter((each) => each.startsWith('/?') || each === '/')).toEqual(['/']);
    expect(asked.every((each) => !each.includes('/../'))).toBe(true);
  });

  it('10,000 images: as many are asked for as may be sent', async () => {
    const images = Array.from({ length: 10_000 }, (_, i) => `/last?${i}`);
    const { port, asked } = await pageOf(page(...images));
    const seen = await ask(port, '/');
    expect([seen.parts?.length, seen.isWhole]).toEqual([101, true]);
    const missing = await pageOf(page(...images.map((each) => `/none${each}`)));
    expect((await ask(missing.port, '/')).parts).toHaveLength(1);
    expect([asked.length, missing.asked.length]).toEqual([101, 101]);
  });

  it('fewer parts and bytes, by option', async () => {
    const images = page(...Array.from({ length: 9 }, (_, i) => `/last?${i}`));
    const few = await pageOf(images, withConstants({ maxParts: 2 }));
    expect((await ask(few.port, '/')).parts).toHaveLength(3);
    const small = await pageOf(images, withConstants({ maxBytes: 10 }));
    expect((await ask(small.port, '/')).parts).toHaveLength(3);
    expect(small.all.stats().bytes).toBe(8);
  });

  it('a style sheet that imports itself and the page', async () => {
    const app = express().use(getAll());
    app.get('/', (_, res) => void res.send('<link rel=stylesheet href=/a.css>'));
    app.get('/a.css', (_, res) => {
      res.type('css').send('@import "/a.css"; @import "/"; @import "/b.css";');
    });
    app.get('/b.css', (_, res) => void res.type('css').send('@import "/a.css";'));
    expect(places(await ask(await listen(app), '/'))).toEqual(['/', '/a.css', '/b.css']);
  });
});

describe('who asks', () => {
  it('a part that needs a login comes with the cookie alone; fields are those of a single request', async () => {
    const seen: Record<string, unknown>[] = [];
    const app = express()
      .set('trust proxy', true)
      .use(getAll({ trustProxy: 'loopback' }));
    app.get('/', (_, res) => void res.send(page('/private.gif')));
    app.get('/private.gif', (req, res) => {
      const { remoteAddress, remotePort } = req.socket;
      seen.push({ ...req.headers, ip: req.ip, remoteAddress, isHere: remotePort !== undefined });
      if (req.headers.cookie === 'login=1') res.type('gif').send('private');
      else res.sendStatus(401);
    });
    const port = await listen(app);
    const more = { 'X-Forwarded-For': '192.0.2.7', Authorization: 'Basic x', 'User-Agent': 'me' };
    const cookie = { Cookie: 'login=1', Accept: 'a/b', 'Accept-Encoding': 'gzip' };
    const conditions = { 'If-None-Match': '"x"', 'Sec-Fetch-Dest': 'document', 'Hold-Line': '5' };
    expect(places(await ask(port, '/', more))).toEqual(['/']);
    const all = { ...more, ...cookie, ...conditions };
    expect(places(await ask(port, '/', all))).toEqual(['/', '/private.gif']);
    const host = `127.0.0.1:${port}`;
    expect(seen[1]).toEqual({
      ...{ host, 'x-forwarded-for': '192.0.2.7', authorization: 'Basic x', 'user-agent': 'me' },
      ...{ cookie: 'login=1', accept: 'a/b', referer: `http://${host}/` },
      ...{ ip: '192.0.2.7', remoteAddress: '127.0.0.1', isHere: true },
    });
  });
});

describe('a client', () => {
  const request = 'GET / HTTP/1.1\r\nHost: a\r\nGet-All: ?1\r\n\r\n';

  it('that is gone in the middle ends what is under way, and nothing more is asked', async () => {
    let isGone = false;
    const endless: Answer = (res) => {
      res.write('x');
      res.once('close', () => {
        isGone = true;
      });
    };
    const { port, asked, all } = await start({ '/x': endless });
    const socket = connect(port, '127.0.0.1');
    socket.write(request);
    await eventually(() => asked.includes('/x'), 'the part being asked for');
    await once(socket, 'data');
    socket.destroy();
    await eventually(() => isGone, 'the end of the part');
    expect(asked).toEqual(['/', '/x']);
    expect((await ask(port, '/', { 'Get-All': '?0' })).status).toBe(200);
    expect(all.stats().cutOff).toBe(0);
  });

  it('that reads nothing: a hundred of them, and the site is asked for no more than fits', async () => {
    const names = Array.from({ length: 50 }, (_, i) => `/x?${i}`);
    const answers: Record<string, Answer> = {
      '/': (res) => res.send(page(...names)),
      '/x': (res) => res.send(big),
    };
    const { port, asked } = await start(answers, withConstants({ maxBytes: 20_000_000 }));
    const clients = Array.from({ length: 100 }, () => {
      const socket = connect(port, '127.0.0.1').pause();
      socket.on('error', () => {});
      socket.write(request);
      return socket;
    });
    onTestFinished(() => {
      for (const each of clients) each.destroy();
    });
    const begun = () => asked.filter((each) => each === '/x?0').length === clients.length;
    await eventually(begun, 'parts being asked for by all');
    let before = -1;
    await eventually(async () => {
      const isStill = before === asked.length;
      before = asked.length;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return isStill;
    }, 'the end of asking');
    const one = await ask(port, '/last', { 'Get-All': '?0' });
    expect(one.body.toString()).toBe('last');
    // What the kernel takes of each connection, up to some megabytes, is in it.
    expect(asked.length / clients.length).toBeLessThan(names.length);
    const heldHere = process.memoryUsage().arrayBuffers;
    expect(heldHere / clients.length).toBeLessThan(1024 * 1024);
  });
});
