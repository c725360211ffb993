// Get-All over HTTP/2, and through an undici Dispatcher: parts come, and what has none is requested on streams of its own.

import * as http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { expect, test } from 'vitest';
import { loadPage } from '../../../loader/index.ts';
import { withConstants } from '../../../options/options.ts';
import { expectOwnBytesOrError, type ImagePage, imagePage } from '../../support/image-page.ts';
import { keptCache } from '../page-cache/site.ts';
import {
  asked,
  close,
  envelopeFields,
  part,
  startGetAllSite,
  wholeEnvelope,
} from './envelope-site.ts';

interface H2Site extends AsyncDisposable {
  origin: string;
  page: ImagePage;
  asked: string[];
}

type AnswerAll = (stream: http2.ServerHttp2Stream, parts: readonly Buffer[]) => void;

async function startH2Site(answerAll: AnswerAll): Promise<H2Site> {
  const page = imagePage(6);
  const paths: string[] = [];
  const fields = (path: string, length: number) => ({
    'Content-Type': path === '/' ? 'text/html' : 'image/gif',
    'Content-Length': length,
    'Cache-Control': 'max-age=60',
    'X-For': path,
  });
  const images = page.images.map(({ path, body }) =>
    part({ 'Content-Location': path, ...fields(path, body.length) }, body),
  );
  const parts = [part(fields('/', page.html.length), page.html), ...images];
  const server = http2.createServer();
  const sessions: http2.ServerHttp2Session[] = [];
  server.on('session', (session) => sessions.push(session));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {}); // the client may cancel it
    const path = String(headers[':path']);
    const isAll = headers['get-all'] !== undefined;
    paths.push(isAll ? `${path}+` : path);
    if (isAll) {
      answerAll(stream, parts);
      return;
    }
    const body =
      path === '/' ? Buffer.from(page.html) : page.images.find((one) => one.path === path)?.body;
    stream.respond({ ':status': 200, ...lower(fields(path, body?.length ?? 0)) });
    stream.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    page,
    asked: paths,
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const lower = <Value>(fields: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]));

const head = { ':status': 200, ...lower(envelopeFields) };
const all = {
  protocol: 'h2',
  getAll: true,
  ...withConstants({ pipeline: { stallMs: 100 } }),
} as const;

test('h2: page and images in one request, and each in the cache', async () => {
  await using site = await startH2Site((stream, parts) => {
    stream.respond(head);
    stream.end(Buffer.concat([...parts, close]));
  });
  const kept = keptCache();
  const load = await loadPage(site.origin, { ...all, cache: kept.cache });
  expect(expectOwnBytesOrError(load, site.page)).toEqual([]);
  expect(site.asked).toEqual(['/+']);
  expect(load.totals).toMatchObject({ requests: 1, parts: 6, errors: 0 });
  expect(load.resources.map(({ httpVersion }) => httpVersion)).toEqual(Array(7).fill('h2'));
  const again = await loadPage(site.origin, { ...all, cache: kept.cache });
  expect(again.totals).toMatchObject({ requests: 0, fromCache: 7 });
});

test.each<[string, AnswerAll]>([
  [
    'is reset',
    (stream, parts) => {
      stream.respond(head);
      stream.write(Buffer.concat(parts.slice(0, 4)), () =>
        stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR),
      );
    },
  ],
  [
    'falls silent',
    (stream, parts) => {
      stream.respond(head);
      stream.write(Buffer.concat(parts.slice(0, 4)));
    },
  ],
  [
    'has a part of a wrong length',
    (stream, parts) => {
      stream.respond(head);
      const wrong = part({ 'Content-Location': '/image-3.gif', 'Content-Length': 9 }, 'short');
      stream.end(Buffer.concat([...parts.slice(0, 3), wrong, close]));
    },
  ],
])('h2: a stream that %s: the parts that are complete stay', async (_name, answerAll) => {
  await using site = await startH2Site(answerAll);
  const load = await loadPage(site.origin, all);
  expect(expectOwnBytesOrError(load, site.page)).toEqual([]);
  expect(site.asked.slice(1)).toEqual(site.page.images.slice(2).map(({ path }) => path));
  expect(load.totals).toMatchObject({ parts: 2, connections: 1, errors: 0 });
});

test('through a dispatcher', async () => {
  await using site = await startGetAllSite((self) => wholeEnvelope(self));
  const dispatcher = new Agent();
  const load = await loadPage(site.server.origin, { dispatcher, getAll: true });
  expect(expectOwnBytesOrError(load, site.page)).toEqual([]);
  expect(asked(site)).toEqual(['/+']);
  expect(load.totals).toMatchObject({ requests: 1, parts: 6, errors: 0 });
  await dispatcher.close();
});
