// Serves a recorded page: each of its origins on a port of its own, every URL with the status, fields and body that
// were recorded. What belongs to the connection or to the moment of the recording is made anew: framing, Date, Expires,
// and the content coding, which is the recorded one for clients that accept it.

import { fieldValue, type HeaderPair } from '../../http/header-pairs.ts';
import type { Handler, Request, Response } from '../listen/handler.ts';
import type { ListenOptions } from '../listen/listener.ts';
import { plainAnswer } from '../listen/plain-answer.ts';
import { acceptedCodings, type ContentCoding, compress } from '../origin/coding-choice.ts';
import { createOrigin, type Origin, type OriginOptions } from '../origin/origin.ts';
import { evaluatePreconditions } from '../origin/preconditions.ts';
import { type Addresses, type Rewrite, rewriter, rewrittenBody } from './new-addresses.ts';
import { lacksBody, type RecordedResponse, type Recording } from './read-recording.ts';

export interface Replay extends AsyncDisposable {
  /** URL of the page, as it is served. */
  readonly url: string;
  /** Maps each recorded origin to the one that serves it; the page's origin is the first. */
  readonly addresses: Addresses;
  /** Returns a copy of `value`, plain data, whose texts name the recorded origins instead of the serving ones. */
  asRecorded<Value>(value: Value): Value;
  close(): Promise<void>;
}

/** Fields that are not replayed: they concern one connection or moment, or would lead a client elsewhere. */
const notReplayed = new Set([
  ...['alt-svc', 'connection', 'content-encoding', 'content-length', 'date', 'keep-alive'],
  ...['proxy-connection', 'set-cookie', 'strict-transport-security', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
]);

/**
 * Serves a recording: the page's origin at `where`, and each other origin on a free port of the same host.
 * @param options Options of createOrigin: `handlers`, `tls`, limits
 * @throws ServerError what createOrigin and its `listen` throw
 */
export async function replay(
  { url, responses }: Recording,
  where: ListenOptions,
  options: OriginOptions = {},
): Promise<Replay> {
  const origins = new Set([url.origin, ...responses.map((each) => each.url.origin)]);
  const servers: Origin[] = [];
  const addresses = new Map<string, string>();
  const close = async () => void (await Promise.all(servers.map((server) => server.close())));
  const { promise: whenReady, resolve: ready } = Promise.withResolvers<Rewrite>();
  try {
    for (const origin of origins) {
      const own = responses.filter((each) => each.url.origin === origin);
      const server = createOrigin(recordedHandler(own, whenReady), options);
      servers.push(server);
      const { url } = await server.listen(servers.length === 1 ? where : { ...where, port: 0 });
      addresses.set(origin, url);
    }
  } catch (error) {
    ready((text) => text);
    await close();
    throw error;
  }
  ready(rewriter(addresses));
  const page = `${addresses.get(url.origin)}${url.pathname}${url.search}`;
  const back = rewriter(new Map([...addresses].map(([from, to]) => [to, from])));
  const asRecorded = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value), (_, each) => (typeof each === 'string' ? back(each) : each));
  return { url: page, addresses, asRecorded, close, [Symbol.asyncDispose]: close };
}

function recordedHandler(
  responses: readonly RecordedResponse[],
  whenReady: Promise<Rewrite>,
): Handler {
  const known = new Map(
    responses.map((each) => [`${each.url.pathname}${each.url.search}`, answering(each, whenReady)]),
  );
  return (req, res, next) => {
    const answer = known.get(req.url ?? '');
    if (answer === undefined || (req.method !== 'GET' && req.method !== 'HEAD')) next();
    else answer(req, res).catch(next);
  };
}

/** Returns a function that answers requests for one URL. */
function answering(recorded: RecordedResponse, whenReady: Promise<Rewrite>) {
  const { status, headers, body } = recorded;
  const [etag, lastModified] = [fieldValue(headers, 'etag'), fieldValue(headers, 'last-modified')];
  const recordedCoding = fieldValue(headers, 'content-encoding');
  const coded = new Map<ContentCoding, Promise<Buffer>>();
  let plain: Buffer | null = null;

  return async (req: Request, res: Response): Promise<void> => {
    if (lacksBody(recorded)) {
      return plainAnswer(req, res, 404, {}, 'The recording has no body for it.');
    }
    const rewrite = await whenReady;
    for (const [name, value] of fieldsNow(headers)) addField(res, name, rewrite(value));
    res.statusCode = status;
    const verdict = evaluatePreconditions(req.headers, { etag, lastModified });
    if (status === 200 && verdict === 'not-modified') {
      res.statusCode = 304;
      res.removeHeader('content-type');
      return void res.end();
    }
    plain ??= rewrittenBody(body ?? Buffer.alloc(0), fieldValue(headers, 'content-type'), rewrite);
    let sent = plain;
    // The body is sent in the content coding in which it was recorded, if the client accepts that coding.
    const accepted = acceptedCodings(req.headers['accept-encoding']);
    const coding = accepted.find((each): each is ContentCoding => each === recordedCoding);
    if (coding !== undefined) {
      const compressed = coded.get(coding) ?? compress(coding, plain);
      coded.set(coding, compressed);
      sent = await compressed;
      res.setHeader('content-encoding', coding);
    }
    res.setHeader('content-length', String(sent.length));
    res.end(req.method === 'HEAD' ? '' : sent);
  };
}

/** Returns the recorded fields as they are sent now: Expires is as far ahead as it was when the page was recorded. */
function fieldsNow(headers: readonly HeaderPair[]): HeaderPair[] {
  const then = Date.parse(fieldValue(headers, 'date') ?? '');
  return headers.flatMap(([name, value]): HeaderPair[] => {
    if (notReplayed.has(name) || !isField(name, value)) return [];
    if (name === 'expires' && Date.parse(value) > then) {
      return [[name, new Date(Date.parse(value) - then + Date.now()).toUTCString()]];
    }
    // With upgrade-insecure-requests, a browser would ask for the page's URLs over https, where nobody listens.
    if (name === 'content-security-policy') {
      return [[name, value.replace(/upgrade-insecure-requests;?\s*/gi, '')]];
    }
    return [[name, value]];
  });
}

/**
 * Returns whether a field can be sent. A recording made by others may contain anything: pseudo-fields of HTTP/2, line
 * ends (RFC 9110 5.1, 5.5).
 */
function isField(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

function addField(res: Response, name: string, value: string): void {
  const fields = res as Response & { getHeader(name: string): unknown };
  const before = res.hasHeader(name) ? `${String(fields.getHeader(name))}, ` : '';
  res.setHeader(name, `${before}${value}`);
}
