// The verdict on where a request's content ends, and what is derived from it (RFC 9112 6): the fields that are sent,
// the refusal to send others, and the connections to the upstream that are used again.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it, test } from 'vitest';
import { framingFields, framingOf } from '../../../server/proxy/framing.ts';
import { response } from '../../support/raw-server.ts';
import { type answerOk, eventually, startSite, until } from './set-up.ts';

const head = (...lines: string[]) =>
  ['DELETE / HTTP/1.1', 'Host: a', ...lines, '', ''].join('\r\n');

describe('the head that is about to leave says one thing', () => {
  it.each([
    [[], { kind: 'none' }],
    [['CONTENT-length: 5'], { kind: 'length', bytes: 5 }],
    [['Transfer-Encoding: chunked'], { kind: 'chunked' }],
    [['X: Content-Length: 5'], { kind: 'none' }],
  ])('%j', (lines, framing) => expect(framingOf(head(...lines))).toEqual(framing));

  it.each([
    [['Content-Length: 5', 'content-length: 5']],
    [['Content-Length: 0', 'content-length: 5']],
    [['Content-Length: 5', 'Transfer-Encoding: chunked']],
    [['Content-Length: 05']],
    [['Content-Length: 5, 5']],
    [['Content-Length : 5']],
    [[' Content-Length: 5']],
    [['Transfer-Encoding: Chunked, identity']],
    [['X: a\nContent-Length: 5']],
    [['no field']],
  ])('%j: two readings', (lines) => expect(framingOf(head(...lines))).toBe(undefined));

  it('fields are derived from the verdict alone', () => {
    expect(framingFields({ kind: 'length', bytes: 0 }, 'DELETE')).toEqual(['Content-Length', '0']);
    expect(framingFields({ kind: 'none' }, 'DELETE')).toEqual([]);
    // RFC 9110 8.6: a method that has content by itself says that there is none.
    expect(framingFields({ kind: 'none' }, 'POST')).toEqual(['Content-Length', '0']);
  });
});

const request = (method: string, content: string) =>
  `${method} / HTTP/1.1\r\nHost: a\r\nContent-Length: ${content.length}\r\n\r\n${content}`;

test.each([
  ['DELETE', 'Content-Length: 3', 'Content-Length: 0'],
  ['POST', 'Content-Length: 3', 'Transfer-Encoding: chunked'],
  ['GET', '\r\n\r\n', '\r\nContent-Length: 3\r\n\r\n'],
])(
  '%s: a head that somebody changed on its way (%s, %s) never leaves',
  async (method, from, to) => {
    // As an instrumented node:http could.
    const change = (message: unknown) => {
      const { request: leaving } = message as { request: { _header: string } };
      leaving._header = leaving._header.replace(from, to);
    };
    await using site = await startSite();
    const bytes = method === 'GET' ? 'GET / HTTP/1.1\r\nHost: a\r\n\r\n' : request(method, 'abc');
    subscribe('http.client.request.created', change);
    try {
      expect(await until(site.send(bytes), /safely\.\n$/)).toMatch(/^HTTP\/1\.1 500 /);
    } finally {
      unsubscribe('http.client.request.created', change);
    }
    expect(site.errors).toMatchObject([{ name: 'ServerError', code: 'framing-mismatch' }]);
    await Promise.all(site.upstream.connections.map(({ closed }) => closed));
    expect(site.received()).toBe('');
    expect(await until(site.send(bytes), /ok$/)).toMatch(/^HTTP\/1\.1 200 /);
  },
);

describe('a connection to the upstream after a request with content', () => {
  const sent = 'abc';

  it('is used again when content and response are whole', async () => {
    await using site = await startSite(contentReader());
    const client = site.send(request('PUT', sent));
    await until(client, /ok$/);
    client.send(request('DELETE', sent));
    await until(client, /ok[\s\S]*ok$/);
    expect(site.upstream.connections).toHaveLength(1);
  });

  it('is not, when the response came before the content was sent whole', async () => {
    const early = Promise.withResolvers<void>();
    await using site = await startSite({
      onRequest: (_request, connection) => {
        connection.write(response('ok'));
        early.resolve();
      },
    });
    const client = site.send(request('PUT', sent).slice(0, -1));
    await early.promise;
    await until(client, /ok$/);
    await site.upstream.connections[0]?.closed;
    client.send(`c${request('GET', '')}`);
    await until(client, /ok[\s\S]*ok$/);
    expect(site.upstream.connections).toHaveLength(2);
  });

  it('nor when it began before, and ended after that', async () => {
    await using site = await startSite({
      onRequest: (_request, connection) => {
        if (connection.id === 1) connection.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no');
        else connection.write(response('ok'));
      },
    });
    const client = site.send(request('PUT', sent).slice(0, -1));
    await until(client, /o$/);
    client.send('c');
    await eventually(() => site.received().endsWith('\r\n\r\nabc'));
    site.upstream.connections[0]?.write('k');
    await until(client, /ok$/);
    await site.upstream.connections[0]?.closed;
    await until(site.send(request('GET', '')), /ok$/);
    expect(site.upstream.connections).toHaveLength(2);
  });

  it.each(['Content-Length: 9', 'Transfer-Encoding: chunked'])(
    'nor when the client broke off (%s)',
    async (field) => {
      const began = Promise.withResolvers<void>();
      await using site = await startSite({
        onRequest: (seen, connection) => {
          if (seen.path === '/') began.resolve();
          else connection.write(response('ok'));
        },
      });
      const client = site.send(`PUT / HTTP/1.1\r\nHost: a\r\n${field}\r\n\r\n3\r\nabc\r\n`);
      await began.promise;
      client.socket.resetAndDestroy();
      await site.upstream.connections[0]?.closed;
      expect(site.received()).not.toMatch(/\r\n0\r\n/);
      await until(site.send('GET /next HTTP/1.1\r\nHost: a\r\n\r\n'), /ok$/);
      expect(site.upstream.connections).toHaveLength(2);
    },
  );
});

/** Answers when three bytes of content are there. */
function contentReader(): typeof answerOk {
  return {
    onRequest: (_request, connection) => {
      const look = () => {
        const bytes = Buffer.concat(connection.segments).toString('latin1');
        if (!bytes.endsWith('\r\n\r\nabc')) return;
        connection.socket.removeListener('data', look);
        connection.write(response('ok'));
      };
      connection.socket.on('data', look);
      look();
    },
  };
}
