// Serves a recorded page: each of its origins on a port of its own, every URL with the status, fields and body that
// were recorded. What belongs to the connection or to the moment of the recording is made anew: framing, Date, Expires,
// and the content coding, which is the recorded one for clients that accept it. The absolute URLs in texts and header
// fields are rewritten, so that any client asks here: a browser, curl, the loader.

import { fieldValue, type HeaderPair, hasField, withField } from '../../http/header-pairs.ts';
import { hopByHop } from '../../http/hop-by-hop.ts';
import type { Request, Response } from '../listen/handler.ts';
import type { ListenOptions } from '../listen/listener.ts';
import { plainAnswer } from '../listen/plain-answer.ts';
import { acceptedCodings, compress, isCompressible } from '../origin/coding-choice.ts';
import { createOrigin, type Origin } from '../origin/origin.ts';
import type { OriginOptions } from '../origin/origin-options.ts';
import { evaluatePreconditions } from '../origin/preconditions.ts';
import { lacksBody, type RecordedResponse, type Recording } from './read-recording.ts';

/** Fields that are not replayed: they concern one connection or moment, or would lead a client elsewhere. */
const notReplayed = new Set([
  ...[...hopByHop, 'trailer', 'content-encoding', 'content-length', 'date', 'set-cookie'],
  ...['alt-svc', 'strict-transport-security'],
]);

const pathOf = ({ pathname, search }: URL) => `${pathname}${search}`;

/** Returns a recording of which all that can be compressed is sent in this content coding (identity: none). */
export function inCoding(recording: Recording, coding: string): Recording {
  const responses = recording.responses.map((response) => {
    const { headers } = response;
    const isCoded = hasField(headers, 'content-encoding');
    const isText = isCoded || isCompressible(fieldValue(headers, 'content-type'));
    if (!isText) return response;
    return { ...response, headers: withField(headers, 'content-encoding', coding) };
  });
  return { ...recording, responses };
}

/** Serves a recording: the page's origin at `where`, and each other origin on a free port of the same host; `options`
 *  are those of createOrigin: `handlers`, `tls`, limits. @throws ServerError as createOrigin and its `listen` do */
export async function replay(
  { url, responses }: Recording,
  where: ListenOptions,
  options: OriginOptions = {},
) {
  const servers: Origin[] = [];
  /** Maps each recorded origin to the one that serves it; the page's origin is the first. */
  const addresses = new Map<string, string>();
  const close = async () => void (await Promise.all(servers.map((server) => server.close())));
  const { promise: whenReady, resolve: ready } = Promise.withResolvers<Rewrite>();
  try {
    for (const [origin, own] of Map.groupBy(responses, (each) => each.url.origin)) {
      const known = new Map(own.map((each) => [pathOf(each.url), answering(each, whenReady)]));
      const server = createOrigin((req, res, next) => {
        const answer = known.get(req.url ?? '');
        if (answer === undefined || (req.method !== 'GET' && req.method !== 'HEAD')) next();
        else answer(req, res).catch(next);
      }, options);
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
  const back = rewriter(new Map([...addresses].map(([from, to]) => [to, from])));
  return {
    /** URL of the page, as it is served. */
    url: `${addresses.get(url.origin)}${pathOf(url)}`,
    addresses,
    /** Returns a copy of `value`, plain data, whose texts name the recorded origins instead of the serving ones. */
    asRecorded: <Value>(value: Value): Value =>
      JSON.parse(JSON.stringify(value), (_, each) =>
        typeof each === 'string' ? back(each) : each,
      ),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Returns a function that answers requests for one URL. */
function answering(recorded: RecordedResponse, whenReady: Promise<Rewrite>) {
  const { status, headers, body } = recorded;
  const [etag, lastModified] = [fieldValue(headers, 'etag'), fieldValue(headers, 'last-modified')];
  const fields = Map.groupBy(headers.filter(isReplayed), ([name]) => name);
  const recordedAtMs = Date.parse(fieldValue(headers, 'date'));
  const recordedCoding = fieldValue(headers, 'content-encoding');
  let compressed: Promise<Buffer> | null = null;
  let plain: Buffer | null = null;

  return async (req: Request, res: Response): Promise<void> => {
    const isPart = status === 206 && req.headers.range === undefined; // only a Range gets a 206 (RFC 9110 15.3.7)
    if (lacksBody(recorded) || isPart) {
      const why = `The recording has ${isPart ? 'only a part' : 'no body'} for it.`;
      return plainAnswer(req, res, 404, {}, why);
    }
    const rewrite = await whenReady;
    for (const [name, lines] of fields) {
      res.setHeader(name, rewrite(valueNow(name, fieldValue(lines, name), recordedAtMs)));
    }
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
    const coding = accepted.find((each) => each === recordedCoding);
    if (coding !== undefined && coding !== 'identity') {
      compressed ??= compress(coding, plain);
      sent = await compressed;
      res.setHeader('content-encoding', coding);
    }
    if (status !== 204) res.setHeader('content-length', String(sent.length)); // a 204 has no length (RFC 9110 8.6)
    res.end(req.method === 'HEAD' ? '' : sent);
  };
}

/** Returns the value of a recorded field as it is sent now: Expires is as far ahead as it was at the recording. */
function valueNow(name: string, value: string, recordedAtMs: number): string {
  if (name === 'expires' && Date.parse(value) > recordedAtMs) {
    return new Date(Date.parse(value) - recordedAtMs + Date.now()).toUTCString();
  }
  // With upgrade-insecure-requests, a browser would ask for the page's URLs over https, where nobody listens.
  if (name !== 'content-security-policy') return value;
  return value.replace(/upgrade-insecure-requests;?\s*/gi, '');
}

/** Returns whether a recorded field is replayed: HTTP can carry it (RFC 9110 5.1, 5.5), and `notReplayed` lacks it. */
function isReplayed([name, value]: HeaderPair): boolean {
  const isSound = /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
  return isSound && !notReplayed.has(name);
}

type Rewrite = (text: string) => string;

/** Makes a function that rewrites the URLs in a text, also those without scheme (`//cdn.example/`) and with escaped
 *  slashes, as JSON has them. `addresses` maps origins (`https://cdn.example`) to others (`http://127.0.0.1:8081`). */
function rewriter(addresses: ReadonlyMap<string, string>): Rewrite {
  const hosts = new Set([...addresses.keys()].map((origin) => new URL(origin).host));
  const host = [...hosts].map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const pattern = String.raw`(?:(https?):|(?<![:\w]))(//|\\/\\/)(${host})(?![\w.:@-])`;
  const url = new RegExp(pattern, 'gi');
  return (text) =>
    text.replace(url, (all, scheme: string | undefined, between: string, host: string) => {
      const schemes = scheme === undefined ? ['https', 'http'] : [scheme, 'https', 'http'];
      const origins = schemes.map((each) => `${each}://${host}`.toLowerCase());
      const found = origins.find((origin) => addresses.has(origin));
      if (found === undefined) return all;
      const { protocol, host: place } = new URL(addresses.get(found) as string);
      return `${scheme === undefined ? '' : protocol}${between}${place}`;
    });
}

const rewritten = /^text\/|[/+](?:json|xml|javascript|ecmascript|x-javascript)(?:;|$)|^image\/svg/i;

/** Returns the body with its URLs rewritten; other bytes stay as they are, whatever their encoding. HTML loses its
 *  `integrity` attributes, because scripts are rewritten, too. */
function rewrittenBody(body: Buffer, contentType: string, rewrite: Rewrite): Buffer {
  if (!rewritten.test(contentType)) return body;
  const before = body.toString('latin1');
  const after = rewrite(before);
  const isHtml = /^text\/html|xhtml/i.test(contentType);
  const bare = isHtml ? after.replace(/\sintegrity=(?:"[^"]*"|'[^']*')/gi, '') : after;
  return bare === before ? body : Buffer.from(bare, 'latin1');
}
