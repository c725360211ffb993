// Answers that are well-formed and of no use.

import { describe, expect, it } from 'vitest';
import { loadPage } from '../../../loader/index.ts';
import { memoryCache } from '../../support/memory-cache.ts';
import { loadFrom, quick } from '../../support/quick-load.ts';
import { answering, response } from '../../support/raw-server.ts';
import {
  expectOnlyFaulty,
  expectRootError,
  faulty,
  http1,
  loadWithFault,
  page,
} from './one-fault.ts';

const html = { 'Content-Type': 'text/html' };

describe.each(http1)('%s', (protocol) => {
  it.each(['404 Not Found', '500 Internal Server Error', '503 Service Unavailable', '410 Gone'])(
    'a page that answers %s: http-status, naming it; its body is in the record (RFC 9110 15.5)',
    async (status) => {
      const { load, server } = await loadFrom({ protocol }, ({ path, index }, connection) => {
        if (path === '/') connection.write(response('<h1>no</h1>', html, status));
        else throw new Error(`unexpected request ${index} for ${path}`);
      });
      const root = expectRootError(load, 'http-status', new RegExp(`^${status}`));
      expect(root.status).toBe(Number.parseInt(status, 10));
      expect(root.bodyBytes).toBe(11);
      expect(load.timing.completeMs).not.toBeNull();
      expect(server.requests.length).toBe(1);
    },
  );

  it.each([600, 999])(
    'status %i, which is none, counts as a server error: http-status, and is never stored (RFC 9110 15)',
    async (status) => {
      await using server = await answering((_request, connection) => {
        const lifetime = { ...html, 'Cache-Control': 'max-age=60', ETag: '"a"' };
        connection.write(response('<img src=a.gif>', lifetime, `${status} Odd`));
      });
      const cache = memoryCache();
      const load = await loadPage(server.origin, { ...quick, protocol, cache });
      const says = new RegExp(
        `^${status} Odd: no valid status \\(100 to 599\\), taken as a server error$`,
      );
      expect(expectRootError(load, 'http-status', says).status).toBe(status);
      await loadPage(server.origin, { ...quick, protocol, cache });
      expect(server.requests.filter(({ path }) => path === '/')).toHaveLength(2);
      expect(server.requests.filter(({ headers }) => 'if-none-match' in headers)).toEqual([]);
    },
  );

  it('an image that answers 404 is data, the page is whole', async () => {
    const { load } = await loadWithFault({ protocol }, (connection) => {
      connection.write(response('gone', { 'X-For': faulty }, '404 Not Found'));
    });
    expectOnlyFaulty(load, 'http-status', /^404 Not Found/);
  });

  it('an empty page is a page: no error (RFC 9110 8.6)', async () => {
    const { load, server } = await loadFrom(
      { protocol },
      (_request, connection) => void connection.write(response('', html)),
    );
    expect(load.resources[0]?.error).toBeNull();
    expect(load.resources[0]?.bodyBytes).toBe(0);
    expect(load.timing.completeMs).not.toBeNull();
    expect(server.requests.length).toBe(1);
  });

  it.each(['204 No Content', '304 Not Modified'])(
    'a page that answers %s has no body whatever its length says (RFC 9112 6.3)',
    async (status) => {
      const { load } = await loadFrom(
        { protocol },
        (_request, connection) =>
          void connection.write(`HTTP/1.1 ${status}\r\nContent-Length: 100\r\n\r\n`),
      );
      expect(load.resources[0]?.status).toBe(Number.parseInt(status, 10));
      expect(load.resources[0]?.bodyBytes).toBe(0);
      expect(load.resources[0]?.error).toBeNull();
      expect(load.timing.completeMs ?? Number.POSITIVE_INFINITY).toBeLessThan(1_500);
    },
  );

  it('empty images are their own bytes, none', async () => {
    const { load } = await loadFrom(
      { protocol },
      ({ path }, connection) =>
        void connection.write(path === '/' ? page.answer(path) : response('', {})),
    );
    expect(load.totals.errors).toBe(0);
    expect(
      load.resources.slice(1).every(({ bodyBytes, width }) => bodyBytes === 0 && width === null),
    ).toBe(true);
  });
});
