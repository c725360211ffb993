// Reads a request's JSON body, up to a limit. This is hand-written, because express.json() and res.json in place of
// this file and send.ts would cost a quarter more CPU per request for hints. A body above the limit is read and
// discarded, so that its sender receives the 413; far above the limit, the connection is closed.

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ClientGone, Problem } from './problem.ts';

/** The connection is closed if a body is longer than `maxBytes` times this. */
const drainedMultiple = 10;
/** A body in over 1,024 pieces of on average fewer bytes ends the connection: each piece takes hundreds in memory. */
const tinyBytes = 64;
const mostTinyPieces = 1024;

/**
 * Reads a JSON body. @throws Problem `unsupported-type`, `too-large`, `invalid-json`
 * @throws ClientGone
 */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  checkType(request);
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0) throw new Problem('invalid-json', 'the body is empty');
  if (!isUtf8(bytes)) throw new Problem('invalid-json', 'the body is not UTF-8');
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    throw new Problem('invalid-json', `the body is not JSON: ${(error as Error).message}`);
  }
}

/** Reads a body of any media type, as beacons send it. @throws Problem `too-large` @throws ClientGone */
export async function readText(request: IncomingMessage, maxBytes: number): Promise<string> {
  return (await readBytes(request, maxBytes)).toString();
}

/** Accepts only the media type of JSON, which another site's page cannot send by form or beacon without CORS. */
function checkType({ headers }: IncomingMessage): void {
  const type = headers['content-type'] ?? '';
  if (type !== 'application/json') {
    const match = /^application\/(?:[\w.+-]+\+)?json\s*(?:;(.*))?$/is.exec(type);
    const charset = /(?:^|;)\s*charset\s*=\s*"?([^\s";]+)/i.exec(match?.[1] ?? '')?.[1] ?? 'utf-8';
    if (match === null || !/^utf-?8$/i.test(charset)) {
      const detail = 'Content-Type must be application/json, in UTF-8';
      throw new Problem('unsupported-type', detail, { headers: { Accept: 'application/json' } });
    }
  }
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    const detail = 'the body must come without Content-Encoding';
    throw new Problem('unsupported-type', detail, { headers: { 'Accept-Encoding': 'identity' } });
  }
}

async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const mostBytes = maxBytes * drainedMultiple;
  const tooLarge = (headers: Record<string, string>) =>
    new Problem('too-large', `the body must have at most ${maxBytes} bytes`, { headers });
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) {
    throw tooLarge({ Connection: 'close' });
  }
  const chunks: Buffer[] = [];
  let [length, pieces] = [0, 0];
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      length += chunk.length;
      if (++pieces > mostTinyPieces && length < pieces * tinyBytes) request.destroy();
      if (length > mostBytes) break;
      if (length <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
    }
  } catch {
    throw new ClientGone();
  }
  if (length > maxBytes) throw tooLarge(length > mostBytes ? { Connection: 'close' } : {});
  return Buffer.concat(chunks);
}
