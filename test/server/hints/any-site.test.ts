// However a site answers, it answers as it would without us, and its pages carry their hints: every way
// to send header fields, middleware before and behind, mounted apps, errors, pipelining.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import express, { type Express } from 'express';
import { describe, expect, it } from 'vitest';
import { hints } from '../../../server/index.ts';
import { tellingLog } from '../../support/telling-log.ts';
import { listening } from '../listening.ts';
import { RawClient } from '../raw-client.ts';
import { browser, calm, keepsAll, serve, site } from './set-up.ts';

const toB = '</b>; rel=prefetch; probability=1';
const html = 'text/html';

type Answer = (req: IncomingMessage, res: ServerResponse) => void;

/** Bare node:http, where /a is answered so and all else is a page. */
async function bare(answer: Answer, withNext = true) {
  const prefetchd = calm();
  const prefetch = hints({ prefetchd });
  const handle = (req: IncomingMessage, res: ServerResponse) => {
    if (req.url === '/a') answer(req, res);
    else res.setHeader('Content-Type', html).setHeader('ETag', '"1"').end('<p>');
  };
  const shop = await serve(
    (req, res) => {
      if (withNext) return prefetch(req, res, () => handle(req, res));
      prefetch(req, res);
      handle(req, res);
    },
    prefetch,
    prefetchd,
  );
  await shop.teach('/a', '/b');
  return shop;
}

const typed = { 'Content-Type': html };

describe('node:http', () => {
  it.each<[string, Answer]>([
    ['setHeader and end', (_, res) => res.setHeader('Content-Type', html).end('<p>')],
    ['writeHead with an object', (_, res) => res.writeHead(200, { 'content-type': html }).end()],
    ['writeHead with a message', (_, res) => res.writeHead(200, 'Fine', typed).end('<p>')],
    [
      'writeHead with a flat list',
      (_, res) => res.writeHead(200, ['Content-Type', html, 'X-A', '1', 'X-A', '2']).end('<p>'),
    ],
    [
      'writeHead with pairs',
      (_, res) => res.writeHead(200, [['Content-Type', html]] as unknown as string[]).end('<p>'),
    ],
    [
      'setHeader and writeHead',
      (_, res) => res.setHeader('content-type', 'text/plain').writeHead(200, typed).end(),
    ],
    [
      'a stream, later',
      (_, res) => {
        setImmediate(() => {
          res.setHeader('Content-Type', `${html}; charset=utf-8`);
          res.write('<p>');
          setImmediate(() => res.end('</p>'));
        });
      },
    ],
    [
      'flushHeaders',
      (_, res) => {
        res.setHeader('Content-Type', html).flushHeaders();
        res.end();
      },
    ],
  ])('%s', async (_, answer) => {
    await using shop = await bare(answer);
    const seen = await shop.visit('/a');
    expect([seen.status, seen.link, seen.headers['content-type']?.slice(0, 9)]).toEqual([
      ...[200, toB, html],
    ]);
    expect(shop.prefetch.stats().faults).toEqual({});
  });

  it('a list with repeated fields stays one', async () => {
    await using shop = await bare((_, res) =>
      res
        .writeHead(200, ['Content-Type', html, 'X-A', '1', 'X-A', '2', 'Link', '</c>; rel=next'])
        .end(),
    );
    const { headers } = await shop.visit('/a');
    expect(headers).toMatchObject({ 'x-a': '1, 2', link: `</c>; rel=next, ${toB}` });
  });

  it('the fields that writeHead is given count: Set-Cookie there is not learned', async () => {
    const prefetchd = calm();
    const prefetch = hints({ prefetchd });
    await using shop = await serve((req, res) => {
      prefetch(req, res);
      res.writeHead(200, [['Set-Cookie', 'id=1']] as unknown as string[]).end();
    }, prefetch);
    await shop.visit('/a');
    expect(prefetchd.stats().notLearned).toEqual({ 'set-cookie': 1 });
  });

  it('without next it only adds', async () => {
    await using shop = await bare((_, res) => res.writeHead(200, typed).end(), false);
    expect((await shop.visit('/a')).link).toBe(toB);
  });

  it('a page without a type is no page', async () => {
    await using shop = await bare((_, res) => res.end('<p>'));
    expect((await shop.visit('/a')).link).toBeUndefined();
  });

  it('a response to which nothing is added leaves byte for byte as without us', async () => {
    const answer: Answer = (_, res) =>
      res
        .writeHead(201, 'Made', { date: 'now', 'X-Mixed-Case': 'a', 'content-length': 2 })
        .end('ok');
    await using shop = await bare(answer);
    const plain = await listening(createServer(answer));
    const raw = async (port: number) => {
      const client = new RawClient(port);
      client.send(
        `GET /a HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: ${browser}\r\nConnection: close\r\n\r\n`,
      );
      await client.closed;
      return client.bytes.toString();
    };
    const [ours, theirs] = [await raw(shop.port), await raw(plain)];
    expect(ours).toBe(theirs);
    expect(ours).toContain('201 Made');
  });

  it('pipelined requests get each its own hints, in their order', async () => {
    await using shop = await bare((_, res) => {
      setTimeout(() => res.setHeader('Content-Type', html).end('a'), 20);
    });
    const client = new RawClient(shop.port);
    const get = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: ${browser}\r\nAccept: text/html\r\n\r\n`;
    client.send(get('/a') + get('/none') + get('/a'));
    const answers = await client.answers(3);
    client.socket.destroy();
    const links = answers.map(({ headers }) => headers.link?.slice(0, 19));
    expect(links).toEqual(['</b>; rel=prefetch;', undefined, '</b>; rel=prefetch;']);
  });

  it('a head that cannot leave is taken back: the error page carries no hint', async () => {
    await using shop = await bare((_, res) => {
      res.setHeader('Content-Type', html);
      try {
        res.writeHead(200, 'no\nmessage');
      } catch {
        res.writeHead(500, 'Broken', { 'Content-Type': html });
        res.end('<p>sorry');
      }
    });
    const { status, link, body } = await shop.visit('/a');
    expect([status, link, body]).toEqual([500, undefined, '<p>sorry']);
  });
});

/** A middleware that sets a field when the head is written. */
const setsLast =
  (name: string, value: string): express.RequestHandler =>
  (_, res, next) => {
    const before = res.writeHead;
    res.writeHead = function (this: typeof res, ...call: unknown[]) {
      this.setHeader(name, value);
      return before.apply(this, call as Parameters<typeof before>);
    } as typeof before;
    next();
  };

describe('Express', () => {
  it.each<[string, (app: Express) => void]>([
    ['send', (app) => app.get('/a', (_, res) => void res.send('<p>a'))],
    [
      'sendFile',
      (app) =>
        app.get('/a', (_, res) => res.sendFile('fixtures/small-site/index.html', { root: '.' })),
    ],
    [
      'a router below a path',
      (app) => {
        const router = express.Router();
        router.get('/', (_, res) => void res.send('<p>a'));
        app.use('/a', router);
      },
    ],
    [
      'fields set behind us',
      (app) => app.get('/a', (_, res) => void res.set('Vary', 'Accept-Encoding').send('<p>a')),
    ],
    [
      'middleware that stands before writeHead too, as compression does',
      (app) => app.use(setsLast('Content-Encoding', 'identity')),
    ],
  ])('%s', async (_, routes) => {
    await using shop = await site({}, routes);
    await shop.teach('/a', '/b');
    const seen = await shop.visit('/a');
    expect([seen.status, seen.link]).toEqual([200, toB]);
    expect(shop.prefetch.stats().faults).toEqual({});
  });

  it('mounted twice, the first does the work', async () => {
    const prefetchd = calm();
    await using shop = await site({ prefetchd }, (app) => app.use(hints({ prefetchd })));
    await shop.visit('/a');
    expect(prefetchd.stats().learned.document).toBe(1);
  });

  it('304 carries hints and is learned', async () => {
    const prefetchd = calm();
    await using shop = await site({ prefetchd });
    await shop.teach('/a', '/b');
    const { headers } = await shop.visit('/a');
    const known = { 'if-none-match': headers.etag ?? '' };
    const again = await shop.visit('/a', { visitor: 2, headers: known });
    expect([again.status, again.link]).toEqual([304, '</b>; rel=prefetch; probability=0.75']);
    expect(prefetchd.stats().learned.document).toBe(8);
  });

  it('the app’s own Link stays first, and what it names is not named again', async () => {
    await using shop = await site({}, (app) => {
      keepsAll(app);
      const own = '</style.css>; rel=preload; as=style';
      app.get('/a', (_, res) => void res.set('Link', own).send('<p>'));
      app.get('/c', (req, res) => {
        const own = `<http://${req.headers.host}/d>; rel=next`;
        res.append('Link', own).append('Link', '</e>; rel=prev').send('<p>');
      });
    });
    await shop.teach('/c', '/d', '/x', '/x2', '/x3', '/a', '/b');
    expect((await shop.visit('/a')).link).toBe(`</style.css>; rel=preload; as=style, ${toB}`);
    const seen = await shop.visit('/c');
    expect(seen.link).toContain(`<http://127.0.0.1:${shop.port}/d>; rel=next, </e>; rel=prev, </x`);
    expect(seen.link).not.toContain('</d>');
  });

  it('errors of the app stay the app’s: its error page, without hints, not learned', async () => {
    const prefetchd = calm();
    await using shop = await site({ prefetchd }, (app) => {
      app.get('/broken', () => {
        throw new Error('of the app');
      });
      app.use(((_error, _req, res, _next) => {
        res.status(500).type('html').send('<p>ours');
      }) as express.ErrorRequestHandler);
    });
    expect(await shop.visit('/broken')).toMatchObject({ status: 500, body: '<p>ours' });
    expect(prefetchd.stats().learned.document).toBe(0);
  });

  it('a session behind which we stand sets its cookie after us: not learned', async () => {
    const prefetchd = calm();
    const prefetch = hints({ prefetchd });
    const app = express();
    app.use(setsLast('Set-Cookie', 'id=1'));
    app.use(prefetch);
    app.get('/{*path}', (_, res) => void res.send('<p>'));
    await using shop = await serve(app, prefetch);
    await shop.visit('/a');
    expect(prefetchd.stats().notLearned).toEqual({ 'set-cookie': 1 });
  });
});

it('a fault of ours is told once, and the page is served', async () => {
  const told: unknown[] = [];
  const prefetchd = calm();
  prefetchd.hints = () => {
    throw new Error('ours');
  };
  const log = tellingLog((_, { fault }) => told.push(fault));
  await using shop = await site({ prefetchd, log });
  for (const visitor of [1, 2]) {
    expect(await shop.visit('/a', { visitor })).toMatchObject({ status: 200, body: '<p>page' });
  }
  expect(told).toEqual(['head']);
  expect(shop.prefetch.stats().faults).toEqual({ head: 2 });
});
