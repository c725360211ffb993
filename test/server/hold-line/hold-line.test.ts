// Hold-Line over real connections: granted, refused, timed out and closed, for HTTP/1.0 and 1.1, beside Express.

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { holdLine } from '../../../server/hold-line/hold-line.ts';
import type { Handler, Request, Response } from '../../../server/listen/handler.ts';
import { createOrigin } from '../../../server/origin/origin.ts';
import { eventually } from '../../support/eventually.ts';
import { residentGrowth } from '../../support/resident-growth.ts';
import { listening } from '../listening.ts';

type Answer = RequestListener;

const sized: Answer = (_, res) => {
  res.setHeader('Content-Length', 2);
  res.end('ok');
};

async function start(answer: Answer, options: object = {}, keepAliveTimeout = 5_000) {
  const hold = holdLine(options);
  const server = createServer({ keepAliveTimeout }, (req, res) =>
    hold(req as Request, res as unknown as Response, () => answer(req, res)),
  );
  return { hold, port: await listening(server) };
}

/** A client that reads what comes. */
class Client {
  readonly socket: Socket;
  text = '';
  isOver = false;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setEncoding('latin1').on('data', (text) => {
      this.text += text;
    });
    this.socket.on('error', () => {});
    this.socket.once('close', () => {
      this.isOver = true;
    });
    onTestFinished(() => void this.socket.destroy());
  }

  send(field = '', version = '1.0', target = 'GET /'): void {
    const asks = field.startsWith('Hold-Line');
    const host = version === '1.1' ? 'Host: a.test\r\n' : asks ? 'Connection: keep-alive\r\n' : '';
    const line = field === '' ? '' : `${field}\r\n`;
    this.socket.write(`${target} HTTP/${version}\r\n${host}${line}\r\n`);
  }

  /** The next reply, and what the server did with the line: its header in lower case. */
  async reply(): Promise<string> {
    await eventually(() => /\r\n\r\n(?:ok)?$/.test(this.text) || this.isOver, 'a reply');
    const { text } = this;
    this.text = '';
    return text.toLowerCase();
  }

  ended(): Promise<void> {
    return eventually(() => this.isOver, 'the end of the line');
  }
}

const granted = (reply: string) => /^hold-line: (\d+)\r$/m.exec(reply)?.[1] ?? null;

describe.each(['1.0', '1.1'])('HTTP/%s', (version) => {
  it('is held for the next request, as long as both want', async () => {
    const { hold, port } = await start(sized, withConstants({ maxSeconds: 7 }));
    const client = new Client(port);
    client.send('Hold-Line: 5', version);
    expect(granted(await client.reply())).toBe('5');
    client.send('Hold-Line', version);
    client.send('Hold-Line: 60', version);
    // A name alone is no field line, so Node refuses it; a colon makes it one without a value.
    await client.ended();
    const other = new Client(port);
    other.send('Hold-Line:', version);
    expect(granted(await other.reply())).toBe('7');
    other.send('Hold-Line: 60', version);
    const reply = await other.reply();
    expect([granted(reply), reply.includes('keep-alive: timeout=7')]).toEqual(['7', true]);
    expect(hold.stats()).toMatchObject({ granted: 3, held: 1, reused: expect.any(Number) });
    expect(hold.stats().reused).toBeGreaterThanOrEqual(1);
  });

  it('is closed when its time is over', async () => {
    const { hold, port } = await start(sized);
    const client = new Client(port);
    client.send('Hold-Line: 1', version);
    expect(granted(await client.reply())).toBe('1');
    expect(hold.stats().held).toBe(1);
    await client.ended();
    expect(hold.stats().held).toBe(0);
  });

  it.each(['-1', 'soon', '5s', '1e3', '99999999999', ''.padEnd(50, '9'), '0'])(
    'garbage asks for nothing, no time is granted nothing: %s',
    async (value) => {
      const { hold, port } = await start(sized);
      const client = new Client(port);
      client.send(`Hold-Line: ${value}`, version);
      expect(granted(await client.reply())).toBeNull();
      expect(hold.stats()).toMatchObject({ held: 0, granted: 0 });
    },
  );

  it('a client that does not ask sees nothing of it', async () => {
    const { port } = await start(sized);
    const plain = await listening(createServer(sized));
    const replies = [port, plain].map(async (each) => {
      const client = new Client(each);
      client.send('', version);
      return (await client.reply()).replace(/^date: .*$/m, '');
    });
    const [ours, theirs] = await Promise.all(replies);
    expect(ours).toBe(theirs);
  });

  it('a line that asked once may stop asking', async () => {
    const { hold, port } = await start(sized);
    const client = new Client(port);
    client.send('Hold-Line: 5', version);
    await client.reply();
    client.send('', version);
    expect(granted(await client.reply())).toBeNull();
    if (version === '1.0') await client.ended();
    expect(hold.stats().held).toBe(0);
  });
});

describe('a line with a request on it', () => {
  /** Answers requests for /slow when the test says so, in their order. */
  function gated() {
    const waiting: Array<() => void> = [];
    const answer: Answer = (req, res) => {
      if (req.url === '/slow') waiting.push(() => sized(req, res));
      else sized(req, res);
    };
    return { waiting, answer };
  }

  /** Resolves when a line that is held for a second from now on is over. */
  async function aSecondOnALine(port: number): Promise<void> {
    const clock = new Client(port);
    clock.send('Hold-Line: 1');
    expect(granted(await clock.reply())).toBe('1');
    await clock.ended();
  }

  const pipeline = (first: string, second: string) =>
    [first, second]
      .map((path) => `GET ${path} HTTP/1.1\r\nHost: a.test\r\nHold-Line: 1\r\n\r\n`)
      .join('');

  it('is not idle, however long the reply takes', async () => {
    const { waiting, answer } = gated();
    const { hold, port } = await start(answer);
    const client = new Client(port);
    client.send('Hold-Line: 1');
    expect(granted(await client.reply())).toBe('1');
    client.send('Hold-Line: 1', '1.0', 'GET /slow');
    await eventually(() => waiting.length === 1, 'the request');
    await aSecondOnALine(port);
    expect(hold.stats().held).toBe(0);
    waiting.shift()?.();
    expect(granted(await client.reply())).toBe('1');
  });

  it('is not idle while a pipelined one waits for its reply', async () => {
    const { waiting, answer } = gated();
    const { hold, port } = await start(answer, withConstants({ most: 1 }));
    const client = new Client(port);
    client.socket.write(pipeline('/', '/slow'));
    await eventually(() => waiting.length === 1, 'the second request');
    expect(granted(await client.reply())).toBe('1');
    expect(hold.stats().held).toBe(0);
    await aSecondOnALine(port);
    expect(client.isOver).toBe(false);
    waiting.shift()?.();
    expect(granted(await client.reply())).toBe('1');
    await client.ended();
    expect(hold.stats()).toMatchObject({ granted: 3, refused: 0, closedEarly: 0 });
  });

  it('is held once all of a pipeline is answered, also longer than the server keeps others', async () => {
    const { waiting, answer } = gated();
    const { hold, port } = await start(answer, {}, 1);
    const client = new Client(port);
    client.socket.write(pipeline('/slow', '/slow').replaceAll(': 1', ': 20'));
    await eventually(() => waiting.length === 2, 'both requests');
    for (const reply of waiting) reply();
    await eventually(() => hold.stats().granted === 2, 'both replies');
    const other = new Client(port);
    other.send('', '1.1');
    await other.reply();
    await other.ended();
    expect([client.isOver, hold.stats().held]).toEqual([false, 1]);
  });
});

describe('the end of the reply', () => {
  it.each<[string, Answer]>([
    [
      'in pieces',
      (_, res) => {
        res.write('o');
        res.end('k');
      },
    ],
    // Node says no length by itself, and closes.
    ['at once', (_, res) => res.end('ok')],
  ])('has to be visible: HTTP/1.0 without a length, %s', async (_, answer) => {
    const { hold, port } = await start(answer);
    const client = new Client(port);
    client.send('Hold-Line: 5');
    expect(granted(await client.reply())).toBeNull();
    await client.ended();
    expect(hold.stats()).toMatchObject({ granted: 0, refused: 1 });
  });

  const [sizes, list] = [{ 'content-length': 2 }, ['Content-Length', '2']];
  it.each<[string, Answer, string]>([
    ['no body', (_, res) => res.writeHead(304).end(), 'GET /'],
    ['HEAD', (_, res) => res.end(), 'HEAD /'],
    ['a length in writeHead', (_, res) => res.writeHead(200, sizes).end('ok'), 'GET /'],
    ['a list in writeHead', (_, res) => res.writeHead(200, list).end('ok'), 'GET /'],
  ])('is visible: %s', async (_, answer, target) => {
    const { port } = await start(answer);
    const client = new Client(port);
    client.send('Hold-Line: 5', '1.0', target);
    expect(granted(await client.reply())).toBe('5');
    client.send('Hold-Line: 5', '1.0', target);
    expect(granted(await client.reply())).toBe('5');
  });

  it('a site that closes is not overruled', async () => {
    const { port } = await start((req, res) => {
      res.setHeader('Connection', 'close');
      sized(req, res);
    });
    const client = new Client(port);
    client.send('Hold-Line: 5', '1.1');
    expect(granted(await client.reply())).toBeNull();
    await client.ended();
  });
});

describe('load', () => {
  it('a refusal closes an HTTP/1.1 line that would stay open', async () => {
    const { hold, port } = await start(sized, withConstants({ most: 1 }));
    const first = new Client(port);
    first.send('Hold-Line: 5', '1.1');
    await first.reply();
    const second = new Client(port);
    second.send('Hold-Line: 5', '1.1');
    const reply = await second.reply();
    expect([granted(reply), reply.includes('connection: close')]).toEqual([null, true]);
    await second.ended();
    expect(hold.stats()).toMatchObject({ held: 1, refused: 1 });
  });

  it('the oldest idle line is closed for a new one, once it was held for the shortest time', async () => {
    const { hold, port } = await start(sized, withConstants({ most: 1, minSeconds: 1 }));
    const first = new Client(port);
    first.send('Hold-Line: 3600');
    await first.reply();
    await eventually(async () => {
      const other = new Client(port);
      other.send('Hold-Line: 5');
      return granted(await other.reply()) !== null;
    }, 'a grant');
    await first.ended();
    expect(hold.stats()).toMatchObject({ held: 1, granted: 2, closedEarly: 1 });
    expect(hold.stats().refused).toBeGreaterThan(0);
  });

  it('lines granted at once and held together: the oldest is closed', async () => {
    const waiting: Array<() => void> = [];
    const later: Answer = (req, res) => void waiting.push(() => sized(req, res));
    const { hold, port } = await start(later, withConstants({ most: 2 }));
    const clients = Array.from({ length: 3 }, () => new Client(port));
    for (const [at, client] of clients.entries()) {
      client.send('Hold-Line: 5');
      await eventually(() => waiting.length === at + 1, 'the request');
    }
    // Heads first: none is held yet.
    for (const answer of waiting) answer();
    await eventually(() => hold.stats().closedEarly === 1, 'the oldest to be closed');
    await clients[0]?.ended();
    expect(hold.stats()).toMatchObject({ held: 2, granted: 3 });
  });

  it('2,000 clients that hold the line: each is answered once, others are served, memory is bounded', async () => {
    using memory = residentGrowth();
    const limits = { most: 1_000, threshold: 500, minimum: 100, minSeconds: 60, maxSeconds: 120 };
    const { hold, port } = await start(sized, withConstants(limits));
    const clients: Client[] = [];
    const replies: string[] = [];
    for (let batch = 0; batch < 20; batch++) {
      const more = Array.from({ length: 100 }, () => new Client(port));
      for (const client of more) client.send('Hold-Line: 3600');
      replies.push(...(await Promise.all(more.map((client) => client.reply()))));
      clients.push(...more);
    }
    const { held, refused, closedEarly, seconds } = hold.stats();
    expect(held).toBeLessThanOrEqual(1_000);
    expect(refused + closedEarly).toBeGreaterThanOrEqual(1_000);
    expect(seconds).toBe(60);
    const other = new Client(port);
    other.send();
    expect(await other.reply()).toMatch(/^http\/1\.1 200/);
    await eventually(() => clients.filter(({ isOver }) => !isOver).length <= 1_000, 'the refused');
    const answers = replies.map((reply) => reply.match(/^http\/1\.1 /gm)?.length);
    expect(answers.every((count) => count === 1)).toBe(true);
    expect(clients.map(({ text }) => text).join('')).toBe('');
    // Of both ends, which are in this process.
    expect(memory.mostBytes()).toBeLessThan(2_000 * 100 * 1024);
  });
});

it('an HTTP/1.0 request that does not say keep-alive, too, is the last one that Node reads', async () => {
  const { hold, port } = await start(sized);
  const client = new Client(port);
  client.socket.write('GET / HTTP/1.0\r\nHold-Line: 5\r\n\r\n');
  expect(granted(await client.reply())).toBeNull();
  await client.ended();
  expect(hold.stats()).toMatchObject({ granted: 0, refused: 1 });
});

it('a client of 1994, which knows of no keep-alive, is served by our own server', async () => {
  const hold = holdLine();
  const content = 'GET / HTTP/1.0\r\nHold-Line: 5\r\n\r\nrest';
  const answer: Handler = (req, res) => {
    text(req as IncomingMessage).then((received) => {
      const body = received === content ? 'ok' : 'no';
      (res as unknown as ServerResponse).writeHead(200, { 'Content-Length': 2 }).end(body);
    });
  };
  await using origin = createOrigin(import.meta.dirname, { handlers: [hold, answer] });
  const { port } = await origin.listen({ port: 0 });
  const client = new Client(port);
  const length = `Content-Length: ${content.length}\r\n`;
  for (let request = 0; request < 3; request++) {
    client.socket.write(`POST / HTTP/1.0\r\nHold-Line: 5\r\n${length}\r\n`);
    await eventually(() => origin.stats().requests > request, 'the head alone');
    client.socket.write(content);
    expect(granted(await client.reply())).toBe('5');
  }
  expect(hold.stats()).toMatchObject({ granted: 3, reused: 2 });
});

it('refuses options that make no sense', () => {
  expect(() => holdLine({ maxSeconds: 0 })).toThrow('option maxSeconds is unknown');
});
