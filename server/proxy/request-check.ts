// Is this request what it says it is? Two servers that read the same bytes differently can be made to
// see different requests (request smuggling, RFC 9112 11.2). So whatever can be read in two ways is
// refused before a byte of it goes further: framing, Host, target, field names and values. node:http
// refuses most of it while parsing; this looks at what it lets through, at the fields as they came
// (`rawHeaders`): `headers` joins, drops and overwrites.

import type { IncomingMessage } from 'node:http';
import { absoluteForm, authority, http2Authority } from '../../http/host-field.ts';
import type { Request } from '../listen/handler.ts';
import type { Framing } from './framing.ts';

export interface Checked {
  /** The target for the upstream: origin-form or `*` (RFC 9112 3.2). */
  readonly target: string;
  /** The authority asked for; undefined only in HTTP/1.0. */
  readonly host: string | undefined;
  /** Content that streams without a length, as HTTP/2 may, goes on in chunks. */
  readonly framing: Framing;
}

/** Why it goes no further. */
export interface Refusal {
  readonly status: number;
  /** One sentence for the client; it repeats nothing that the client sent. */
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const bad = (detail: string): Refusal => ({ status: 400, detail });
const badFields = bad('A header field, or the method, has characters that it may not have.');
const badHost = bad('There must be one Host field, with a host and perhaps a port.');
const badLength = bad('There may be one Content-Length, a number.');
const badTarget = bad('The target must be a path, or an absolute URL of the same host as Host.');
const badFraming = bad(
  'Transfer-Encoding may be chunked alone, in HTTP/1.1, without Content-Length.',
);
const badHttp2 = bad('Pseudo-fields or fields of one connection that HTTP/2 does not allow.');
const unknownExpectation: Refusal = {
  status: 417,
  detail: 'The one expectation there is is 100-continue.',
};
const unknownMethod: Refusal = {
  status: 405,
  detail: 'CONNECT and TRACE are not passed on.',
  headers: { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' },
};

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// Field values are octets without controls, HTAB excepted (RFC 9110 5.5).
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\0-\x08\n-\x1f\x7f]|[^\0-\xff]/;
const originForm = /^\/[!-"$-~]*$/;
/** RFC 9113 8.2.2. */
const connectionSpecific = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

function valuesOf(rawHeaders: readonly string[]): Map<string, string[]> | undefined {
  const values = new Map<string, string[]>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    const value = rawHeaders[i + 1] ?? '';
    if (control.test(value)) return undefined;
    if (name.startsWith(':')) continue;
    if (!token.test(name)) return undefined;
    const lower = name.toLowerCase();
    const before = values.get(lower);
    if (before) before.push(value);
    else values.set(lower, [value]);
  }
  return values;
}

/** Origin-form of the target; undefined when it is none or names another authority than `host`. */
function originTarget(method: string, url: string, host: string | undefined): string | undefined {
  if (url === '*') return method === 'OPTIONS' ? url : undefined;
  if (originForm.test(url)) return url;
  const [, named, rest] = absoluteForm.exec(url) ?? [];
  if (named === undefined || rest === undefined || !authority.test(named)) return undefined;
  // A server that goes by the target and one that goes by Host would serve different sites.
  if (host !== undefined && named.toLowerCase() !== host.toLowerCase()) return undefined;
  if (rest === '' && method === 'OPTIONS') return '*';
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** What the request asks for, or why it goes no further. */
export function checkRequest(req: Request): Checked | Refusal {
  const values = valuesOf(req.rawHeaders);
  const method = req.method ?? '';
  const url = req.url ?? '';
  if (values === undefined || !token.test(method)) return badFields;
  // Both would need another kind of answer than a site's: a tunnel, an echo (RFC 9110 9.3.6, 9.3.8).
  if (method === 'CONNECT' || method === 'TRACE') return unknownMethod;

  const hosts = values.get('host') ?? [];
  if (hosts.length > 1 || (hosts[0] !== undefined && !authority.test(hosts[0]))) return badHost;
  const lengths = values.get('content-length') ?? [];
  if (lengths.length > 1 || (lengths[0] !== undefined && !/^\d{1,15}$/.test(lengths[0])))
    return badLength;
  // RFC 9110 10.1.1: the one expectation there is. HTTP/1.0 has none: it is left out.
  const expected = values.get('expect')?.join().toLowerCase();
  if (expected !== undefined && expected !== '100-continue' && req.httpVersion !== '1.0')
    return unknownExpectation;
  const framed = 'stream' in req ? checkHttp2(req, values) : checkHttp1(req, values);
  if ('status' in framed) return framed;

  const host = framed.host ?? hosts[0];
  const target = originTarget(method, url, host);
  if (target === undefined) return badTarget;
  const named = absoluteForm.exec(url)?.[1];
  return { target, host: host ?? named, framing: framingFrom(framed.isStreamed, lengths[0]) };
}

function framingFrom(isStreamed: boolean, length: string | undefined): Framing {
  if (isStreamed) return { kind: 'chunked' };
  return length === undefined ? { kind: 'none' } : { kind: 'length', bytes: Number(length) };
}

/** Content of unknown length, and the authority of a pseudo-field. */
interface Framed {
  readonly isStreamed: boolean;
  readonly host?: string | undefined;
}

function checkHttp1(req: IncomingMessage, values: Map<string, string[]>): Framed | Refusal {
  const { httpVersion } = req;
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return bad('HTTP/1.0, 1.1 and 2 are spoken here.');
  if (httpVersion === '1.1' && !values.has('host')) return badHost;
  const codings = values.get('transfer-encoding');
  if (codings === undefined) return { isStreamed: false };
  // RFC 9112 6.1, 6.3: one coding we know, never beside a length, never in HTTP/1.0.
  const isChunked = codings.length === 1 && codings[0]?.toLowerCase() === 'chunked';
  if (!isChunked || values.has('content-length') || httpVersion === '1.0') return badFraming;
  return { isStreamed: true };
}

function checkHttp2(
  req: Exclude<Request, IncomingMessage>,
  values: Map<string, string[]>,
): Framed | Refusal {
  for (const name of values.keys()) {
    if (connectionSpecific.has(name)) return badHttp2;
  }
  if (values.get('te')?.some((value) => value.toLowerCase() !== 'trailers')) return badHttp2;
  const { ':scheme': scheme } = req.headers;
  if (scheme !== 'http' && scheme !== 'https') return badHttp2;
  const host = http2Authority(req.rawHeaders);
  if (host === undefined) return badHost;
  // A length that is not kept resets the stream (RFC 9113 8.1.1): nghttp2 sees to it.
  const isStreamed = !values.has('content-length') && !req.stream.endAfterHeaders;
  return { isStreamed, host };
}
