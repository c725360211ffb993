// A site of texts by path, that notes what it is asked for.

import type { RawHandler, RawServer, SeenRequest } from '../../support/raw-server.ts';
import { response, startRawServer } from '../../support/raw-server.ts';

export type Files = Record<
  string,
  string | readonly [body: string, headers: Record<string, string>]
>;

const types: Record<string, string> = {
  css: 'text/css',
  js: 'text/javascript',
  html: 'text/html',
  png: 'image/png',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/** What answers a request: a file, with a validator, or 404. */
export function answerTo({ path, headers }: SeenRequest, files: Files): Buffer {
  const file = files[path];
  if (file === undefined) return response('', {}, '404 Not Found');
  const [body, more] = typeof file === 'string' ? [file, {}] : file;
  const etag = `"${Buffer.from(body).toString('base64url').slice(0, 40)}${body.length}"`;
  const extension = /\.(\w+)$/.exec(path)?.[1] ?? 'html';
  const fields = { 'Content-Type': types[extension] ?? 'text/plain', ETag: etag, ...more };
  if (headers['if-none-match'] === etag) return response('', fields, '304 Not Modified');
  return response(body, fields);
}

export function startFiles(files: Files, handler: RawHandler = {}): Promise<RawServer> {
  return startRawServer({
    onRequest: (request, connection) => connection.write(answerTo(request, files)),
    ...handler,
  });
}

export const pathsOf = (requests: readonly SeenRequest[]): string[] =>
  requests.map(({ path }) => path);
