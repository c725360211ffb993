// Connections of a `fetch`: how many, for how long; and what is left when nobody asks any more: no timer and
// no socket that keeps a program running.

import { spawn } from 'node:child_process';
import { createSecureServer } from 'node:http2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFetch } from '../../../loader/fetch/fetch.ts';
import { listening } from '../../server/listening.ts';
import { runToEnd } from '../../support/command.ts';
import { answering, response } from '../../support/raw-server.ts';
import { makeTestCertificate } from '../../support/tls.ts';
import { served } from './cached-fetch.ts';

const fetchModule = new URL('../../../loader/fetch/fetch.ts', import.meta.url).href;
const optionsModule = new URL('../../../options/options.ts', import.meta.url).href;

/** A program that fetches and does not close. */
const program = (work: string) => `
  import { createFetch } from ${JSON.stringify(fetchModule)};
  const fetch = createFetch();
  const origin = process.argv[1];
  ${work}
`;

/** The program prints this, and ends. */
async function expectPrints(printed: string, text: string, origin: string): Promise<void> {
  const args = ['--input-type=module', '--eval', text, origin];
  const child = spawn(process.execPath, args);
  onTestFinished(() => void child.kill());
  expect(await runToEnd(child)).toEqual({ code: 0, stdout: `${printed}\n`, stderr: '' });
}

describe('a program that never calls close', () => {
  it.each([
    [
      'many at once, on connections of which some were not needed',
      `const all = Array.from({ length: 9 }, async () => (await fetch(origin)).text());
       console.log(new Set(await Promise.all(all)).size === 1 ? 'here' : 'mixed')`,
    ],
    [
      'one that was aborted before its connection stood',
      `const aborter = new AbortController();
       const lost = fetch(origin, { signal: aborter.signal }).catch(() => {});
       await Promise.resolve(); await Promise.resolve();
       aborter.abort(); await lost; console.log('here')`,
    ],
  ])('ends by itself: %s', async (_name, work) => {
    await using server = await answering((_request, connection) =>
      connection.write(response('here')),
    );
    await expectPrints('here', program(work), server.origin);
  });
});

describe('a body that nobody reads does not hold a program', () => {
  const heads = {
    'a long one': (write: (bytes: string) => void) => write('x'.repeat(4 * 1024 * 1024)),
    'one that never ends': (write: (bytes: string) => void) => write('x'),
  };
  const certificate = makeTestCertificate();

  it.each(
    (['http/1.1', 'h2'] as const).flatMap((version) =>
      Object.entries(heads).map(([name, play]) => [version, name, play] as const),
    ),
  )('%s, %s', async (version, _name, play) => {
    const { key, cert } = await certificate;
    const server = createSecureServer({ key, cert, allowHTTP1: version === 'http/1.1' });
    server.on('request', (_req, res) => play((bytes) => void res.write(bytes)));
    const origin = `https://127.0.0.1:${await listening(server)}`;
    const work = `
      import { createFetch } from ${JSON.stringify(fetchModule)};
      const protocol = ${version === 'h2' ? "'h2'" : "'persistent'"};
      import { withConstants } from ${JSON.stringify(optionsModule)};
      const rate = withConstants({ timeouts: { minRateBytes: null } });
      const fetch = createFetch({ protocol, ...rate, tls: { verify: false } });
      const kept = await fetch(process.argv[1]);
      console.log(kept.status);`;
    // The timeouts of a resource, which would hold it, are 60 s: twice as long as this test may take.
    await expectPrints('200', work, origin);
  });

  it.each([
    ['at once', 'console.log(await reply.text())'],
    ['when all of it has come', `await fetch(origin + '/sent'); console.log(await reply.text())`],
    ['a copy', 'const copy = reply.clone(); console.log(await copy.text())'],
    [
      'by pieces',
      `let text = ''; for await (const piece of reply.body) text += Buffer.from(piece); console.log(text)`,
    ],
    [
      'after another that is not',
      `const next = await fetch(origin); console.log(await next.text())`,
    ],
  ])('but one that is read, %s, does: nothing of it is lost', async (_name, work) => {
    const sent = Promise.withResolvers<void>();
    function* pieces() {
      yield* ['he', 're', ' it', 's'];
      sent.resolve();
    }
    await using server = await answering(({ path }, connection) => {
      if (path === '/sent') {
        void sent.promise.then(() => connection.write(response('')));
        return;
      }
      connection.write('HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n');
      connection.drip(pieces(), 150);
    });
    const text = program(`const reply = await fetch(origin); ${work}`);
    await expectPrints('here its', text, server.origin);
  });
});

describe('connections', () => {
  it('are kept from call to call, and as many as are needed', async () => {
    const { server, fetch } = await served((_request, connection) =>
      connection.write(response('ok')),
    );
    for (let round = 0; round < 5; round++) await (await fetch(server.origin)).text();
    expect(server.connections).toHaveLength(1);
    const all = Array.from({ length: 20 }, async () => (await fetch(server.origin)).text());
    await Promise.all(all);
    expect(server.connections.length).toBeLessThanOrEqual(6);
    expect(server.requests).toHaveLength(25);
  });

  it('a slow response does not hold up those behind it', async () => {
    const { server, fetch } = await served(({ path }, connection) => {
      if (path !== '/slow') connection.write(response(path));
    });
    const slow = fetch(`${server.origin}/slow`).catch(() => 'closed');
    const texts = Array.from({ length: 20 }, async (_each, index) =>
      (await fetch(`${server.origin}/${index}`)).text(),
    );
    expect(await Promise.all(texts)).toHaveLength(20);
    fetch.destroy();
    expect(await slow).toBe('closed');
  });

  it('pipelined: requests of one turn leave in one write, on one connection', async () => {
    const { server, fetch } = await served(
      ({ path }, connection) => connection.write(response(path)),
      { protocol: 'pipelined' },
    );
    await (await fetch(server.origin)).text();
    const texts = Array.from({ length: 10 }, async (_each, index) =>
      (await fetch(`${server.origin}/${index}`)).text(),
    );
    expect(await Promise.all(texts)).toEqual(Array.from({ length: 10 }, (_each, i) => `/${i}`));
    expect([server.connections.length, server.writes]).toEqual([1, 2]);
  });
});

describe('a connection that is never quiet', () => {
  it('ends after 2,000 responses, which proves them, and another takes over', async () => {
    const { server, fetch } = await served(
      (_request, connection) => connection.write(response('ok')),
      { connections: 1 },
    );
    const all = Array.from({ length: 2_100 }, async () => (await fetch(server.origin)).text());
    expect(new Set(await Promise.all(all))).toEqual(new Set(['ok']));
    expect(server.requests).toHaveLength(2_100);
    expect(server.connections).toHaveLength(2);
  });
});

describe('HTTP/2', () => {
  it.each(['h2', 'auto'] as const)(
    '%s: responses beside each other on one connection',
    async (protocol) => {
      const { key, cert } = await makeTestCertificate();
      const paths: string[] = [];
      const server = createSecureServer({ key, cert, allowHTTP1: true });
      let sessions = 0;
      server.on('session', () => sessions++);
      server.on('stream', (stream, headers) => {
        const path = String(headers[':path']);
        paths.push(`${headers[':method']} ${path}`);
        let body = '';
        stream.on('data', (chunk) => {
          body += chunk;
        });
        stream.on('end', () => {
          stream.respond({ ':status': 200, 'set-cookie': ['a=1', 'b=2'] });
          if (path !== '/open') stream.end(`${path} ${body}`);
        });
      });
      const origin = `https://127.0.0.1:${await listening(server)}`;
      await using fetch = createFetch({ protocol, tls: { ca: cert } });
      const open = await fetch(`${origin}/open`);
      const posted = await fetch(`${origin}/post`, { method: 'POST', body: 'content' });
      expect(posted.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
      expect(await posted.text()).toBe('/post content');
      await open.body?.cancel();
      expect(await (await fetch(`${origin}/after`)).text()).toBe('/after ');
      expect(paths).toEqual(['GET /open', 'POST /post', 'GET /after']);
      expect(sessions).toBe(1);
    },
  );
});
