// Pages of one template, and a client that asks for them by hand.

import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type RequestListener,
  request,
} from 'node:http';
import { zstdDecompressSync } from 'node:zlib';
import {
  dczHeadBytes,
  hashOf,
  readDczHead,
  writeAvailableDictionary,
} from '../../../http/compression-dictionary.ts';
import { type Dictionaries, dictionaries } from '../../../server/dictionaries/dictionaries.ts';
import type { Request, Response } from '../../../server/listen/handler.ts';
import { listening } from '../listening.ts';

const words = 'each link of this list leads to a page of the same template'.split(' ');

/** About 3 KB, most of it the same on every page. */
export function pageOf(name: string): string {
  const links = Array.from({ length: 40 }, (_, i) => {
    const word = words[i % words.length];
    return `<li><a href="/${word}/${i * 7919}.html">${word} ${i * 104729}</a></li>`;
  });
  return `<!doctype html><title>${name}</title><ul>${links.join('\n')}</ul><p>${name} alone.</p>`;
}

export interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Sends a GET. */
export async function get(
  port: number,
  path: string,
  headers: OutgoingHttpHeaders = {},
  method = 'GET',
): Promise<Answered> {
  const asking = request({ port, host: '127.0.0.1', path, headers, method, agent: false }).end();
  const [answer] = await once(asking, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) };
}

export const takesDcz = { 'accept-encoding': 'gzip, zstd, dcz' };

/** The fields of a client that has this response. */
export function having(dictionary: Buffer | string): OutgoingHttpHeaders {
  const hash = hashOf(Buffer.from(dictionary));
  return { ...takesDcz, 'available-dictionary': writeAvailableDictionary(hash) };
}

/** What a body in dcz means to a client that has this response. */
export function fromDcz({ body }: Pick<Answered, 'body'>, dictionary: Buffer | string): string {
  const bytes = Buffer.from(dictionary);
  const hash = readDczHead(body.subarray(0, dczHeadBytes));
  if (hash !== hashOf(bytes)) throw new Error(`the head names ${hash}`);
  return zstdDecompressSync(body.subarray(dczHeadBytes), { dictionary: bytes }).toString();
}

/** A node:http server with the middleware in front. */
export async function serving(
  answer: RequestListener,
  options: object = {},
): Promise<{ port: number; shelf: Dictionaries }> {
  const shelf = dictionaries(options);
  const server = createServer((req, res) =>
    shelf(req as Request, res as unknown as Response, () => answer(req, res)),
  );
  return { port: await listening(server), shelf };
}
