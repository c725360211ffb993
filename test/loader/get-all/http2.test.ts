// Get-All over HTTP/2, and through an undici Dispatcher: parts come, and what has none is requested on streams of its own.

import { constants, type ServerHttp2Stream } from 'node:http2';
import { Agent } from 'undici';
import { expect, test } from 'vitest';
import { loadPage } from '../../../loader/index.ts';
import { withConstants } from '../../../options/options.ts';
import { serving, startHttp2Site } from '../../support/http2-site.ts';
import { expectOwnBytesOrError, imagePage } from '../../support/image-page.ts';
import { keptCache } from '../page-cache/site.ts';
import {
  asked,
  close,
  envelopeFields,
  part,
  startGetAllSite,
  wholeEnvelope,
} from './envelope-site.ts';

type AnswerAll = (stream: ServerHttp2Stream, parts: readonly Buffer[]) => void;

const page = imagePage(6);
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
const serve = serving(page);

/** Paths in the order they were requested, with `+` for Get-All. */
async function startH2Site(answerAll: AnswerAll) {
  const asked: string[] = [];
  const site = await startHttp2Site((path, stream, { headers }) => {
    const isAll = headers['get-all'] !== undefined;
    asked.push(isAll ? `${path}+` : path);
    if (isAll) answerAll(stream, parts);
    else serve(path, stream);
  });
  return Object.assign(site, { asked });
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
  expect(expectOwnBytesOrError(load, page)).toEqual([]);
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
        stream.close(constants.NGHTTP2_INTERNAL_ERROR),
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
  expect(expectOwnBytesOrError(load, page)).toEqual([]);
  expect(site.asked.slice(1)).toEqual(page.images.slice(2).map(({ path }) => path));
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
