// A running service and a client that can say anything: own Host, Origin, methods; over TCP or a unix socket.

import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Engine } from '../../../prefetchd/engine/engine.ts';
import type { PrefetchdOptions } from '../../../prefetchd/engine/prefetchd-options.ts';
import type { ListenOptions } from '../../../prefetchd/service/listening.ts';
import { createService, type Service } from '../../../prefetchd/service/service.ts';
import type { ServiceOptions } from '../../../prefetchd/service/service-options.ts';
import { salted } from '../../support/known-salt.ts';

export interface Said {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a server answers
  json: any;
}

export interface Question {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Bodies that are no strings are sent as JSON. */
export async function ask(base: string, path: string, question: Question = {}): Promise<Said> {
  const { method = 'GET', headers = {}, body } = question;
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  const where = base.startsWith('unix:')
    ? { socketPath: base.slice(5), path }
    : { hostname: new URL(base).hostname, port: new URL(base).port, path };
  const sent = request({
    ...where,
    method,
    agent: false,
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
  });
  sent.end(text);
  const [response] = await once(sent, 'response');
  let got = '';
  for await (const chunk of response.setEncoding('utf8')) got += chunk;
  const isJson = /json/.test(response.headers['content-type'] ?? '') && got !== '';
  return {
    status: response.statusCode,
    headers: response.headers,
    text: got,
    json: isJson ? JSON.parse(got) : undefined,
  };
}

/** The URLs hinted for a page. @param query begins the URL of it: escape what needs it */
export async function hintedUrls(base: string, query: string): Promise<string[]> {
  const { json } = await ask(base, `/v1/hints?url=${query}`);
  return json.hints.map((hint: { url: string }) => hint.url);
}

export interface Running extends AsyncDisposable {
  prefetchd: Engine;
  service: Service;
  url: string;
  post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Said>;
  get: (path: string, headers?: Record<string, string>) => Promise<Said>;
}

export async function running(
  options: { prefetchd?: PrefetchdOptions; service?: ServiceOptions; where?: ListenOptions } = {},
): Promise<Running> {
  const prefetchd = new Engine({ minClients: 1, load: () => 0, ...salted, ...options.prefetchd });
  const service = createService(prefetchd, options.service);
  const { url } = await service.listen(options.where ?? { port: 0 });
  return {
    prefetchd,
    service,
    url,
    post: (path, body, headers = {}) => ask(url, path, { method: 'POST', body, headers }),
    get: (path, headers = {}) => ask(url, path, { headers }),
    async [Symbol.asyncDispose]() {
      await service.close();
      await prefetchd.close();
    },
  };
}

/** An access as a client sends it. */
export function access(client: string, url: string, more: object = {}) {
  return { client, url, kind: 'document', ...more };
}

/** Three visitors go from /a to /b. */
export async function taught({ post }: Running): Promise<void> {
  for (const client of ['one x', 'two x', 'three x']) {
    await post('/v1/accesses', [access(client, '/a'), access(client, '/b')]);
  }
}

/** A service whose visitors go from /a to /b. */
export async function runningTaught(options?: Parameters<typeof running>[0]): Promise<Running> {
  const service = await running(options);
  await taught(service);
  return service;
}

/** A request to learn that the service has begun to answer (100 Continue), and whose body is still to come. */
export async function begun(url: string, path: string, bodyBytes: number): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  const type = 'Content-Type: application/json\r\nExpect: 100-continue';
  const length = `Content-Length: ${bodyBytes}\r\n\r\n`;
  socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\n${type}\r\n${length}`);
  await once(socket, 'data'); // 100
  return socket;
}
