// A 100 Continue that nobody asked for: a client must be able to parse it, and may ignore it (RFC 9110 15.2).

import { createServer, type RequestListener } from 'node:http';
import { createSecureServer } from 'node:http2';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { createFetch, loadPage } from '../../../loader/index.ts';
import { listening } from '../../server/listening.ts';
import { expectOwnBytes } from '../../support/image-page.ts';
import { loadFrom } from '../../support/quick-load.ts';
import { makeTestCertificate } from '../../support/tls.ts';
import { http1, page } from './one-fault.ts';

const interims = [
  ['alone', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['with fields', 'HTTP/1.1 100 Continue\r\nX-Odd: 1\r\n\r\n'],
  [
    'before and behind a 103',
    `${'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2)}`,
  ],
] as const;

describe.each(http1)('%s', (protocol) => {
  it.each(interims)('%s before each response: the page is whole', async (_name, interim) => {
    const { load } = await loadFrom({ protocol }, ({ path }, connection) =>
      connection.write(Buffer.concat([Buffer.from(interim), page.answer(path)])),
    );
    expectOwnBytes(load, page);
  });

  it('byte by byte', async () => {
    const { load } = await loadFrom({ protocol }, (_request, connection) => {
      connection.drip('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n', 1);
    });
    expect(load.resources[0]).toMatchObject({ status: 204, error: null });
  });
});

const certificate = await makeTestCertificate();
const listener: RequestListener = (req, res) => {
  res.writeContinue();
  req.resume().on('end', () => res.end('page'));
};

it.each([
  ['node:http', 'http', () => createServer(listener)],
  ['Express', 'http', () => createServer(express().use(listener))],
  ['HTTP/2', 'https', () => createSecureServer(certificate, listener as never)],
])('from %s: a page, and the response of a POST', async (_name, scheme, create) => {
  const server = create();
  const url = `${scheme}://127.0.0.1:${await listening(server)}/`;
  const tls = { ca: certificate.cert };
  expect((await loadPage(url, { tls })).resources[0]).toMatchObject({ status: 200, error: null });
  await using fetch = createFetch({ tls, protocol: 'auto' });
  const reply = await fetch(url, { method: 'POST', body: 'x' });
  expect(await reply.text()).toBe('page');
});
