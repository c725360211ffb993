// Checks that a request is unambiguous. Two servers that read the same bytes differently can be made to see different
// requests (request smuggling, RFC 9112 11.2), so anything ambiguous is refused before a byte is forwarded: framing,
// Host, target, field names and values. node:http refuses most of it while parsing; this file checks the rest on the
// fields as received (`rawHeaders`), because `headers` joins, drops and overwrites some.

import { type IncomingMessage, METHODS } from 'node:http';
import { absoluteForm, authority, http2Authority, isSameAuthority } from '../../http/host-field.ts';
import type { Request } from '../listen/handler.ts';
import type { BodyFraming } from './framing.ts';

export interface Checked {
  /** The target for the upstream: origin-form or `*` (RFC 9112 3.2). */
  readonly target: string;
  /** The requested authority; undefined only in HTTP/1.0. */
  readonly host: string | undefined;
  /** How content ends; without a length, as HTTP/2 permits, it is forwarded in chunks. */
  readonly framing: BodyFraming;
}

export interface RequestRefusal {
  readonly status: number;
  /** One sentence for the client, without any of the client's input. */
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const bad = (detail: string): RequestRefusal => ({ status: 400, detail });
const badFields = bad('A header field or the method contains invalid characters.');
const badHost = bad('There must be exactly one Host field, with a host and an optional port.');
const badLength = bad('There may be one Content-Length field, which must be a number.');
const badTarget = bad('The target must be a path, or an absolute URL of the same host as Host.');
const badFraming = bad(
  'Transfer-Encoding must be chunked alone, in HTTP/1.1, without Content-Length.',
);
const badHttp2 = bad('HTTP/2 does not allow these pseudo-fields or connection-specific fields.');
const unknownExpectation: RequestRefusal = {
  status: 417,
  detail: 'The only valid expectation is 100-continue.',
};
const refusedMethod: RequestRefusal = {
  status: 405,
  detail: 'CONNECT and TRACE are not forwarded.',
  headers: { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' },
};
const unknownMethod: RequestRefusal = {
  status: 501,
  detail: 'The method is unknown here. Names of methods are case-sensitive.',
};
/** Methods known to node:http. HTTP/2 permits any token, and node:http would write `trace` as TRACE upstream. */
const methods = new Set(METHODS);

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// Field values are octets without controls, HTAB excepted (RFC 9110 5.5).
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const control = /[\0-\x08\n-\x1f\x7f]|[^\0-\xff]/;
const originForm = /^\/[!-"$-~]*$/;
/** Fields about the connection, which are forbidden in HTTP/2 (RFC 9113 8.2.2). */
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

/** Returns the origin-form of a target; undefined if it has none or names another authority than `host`. */
function originTarget(method: string, url: string, host: string | undefined): string | undefined {
  if (url === '*') return method === 'OPTIONS' ? url : undefined;
  if (originForm.test(url)) return url;
  const [, named, rest] = absoluteForm.exec(url) ?? [];
  if (named === undefined || rest === undefined || !authority.test(named)) return undefined;
  // If target and Host differed, the upstream and this proxy could choose different sites, one by each.
  if (host !== undefined && !isSameAuthority(named, host)) return undefined;
  if (rest === '' && method === 'OPTIONS') return '*';
  return rest.startsWith('/') ? rest : `/${rest}`;
}

export function checkRequest(req: Request): Checked | RequestRefusal {
  const values = valuesOf(req.rawHeaders);
  const method = req.method ?? '';
  const url = req.url ?? '';
  if (values === undefined || !token.test(method)) return badFields;
  // CONNECT and TRACE need a response that no site gives: a tunnel, an echo (RFC 9110 9.3.6, 9.3.8).
  if (method === 'CONNECT' || method === 'TRACE') return refusedMethod;
  if (!methods.has(method)) return unknownMethod;

  const hosts = values.get('host') ?? [];
  if (hosts.length > 1 || (hosts[0] !== undefined && !authority.test(hosts[0]))) return badHost;
  const lengths = values.get('content-length') ?? [];
  if (lengths.length > 1 || (lengths[0] !== undefined && !/^\d{1,15}$/.test(lengths[0])))
    return badLength;
  // The only expectation is 100-continue (RFC 9110 10.1.1). HTTP/1.0 has none, so the field is dropped there.
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

function framingFrom(isStreamed: boolean, length: string | undefined): BodyFraming {
  if (isStreamed) return { kind: 'chunked' };
  return length === undefined ? { kind: 'none' } : { kind: 'length', bytes: Number(length) };
}

/**
 * What is checked in different ways for HTTP/1 and HTTP/2: whether the content's length is unknown, and, in HTTP/2, the
 * authority.
 */
interface Framed {
  readonly isStreamed: boolean;
  readonly host?: string | undefined;
}

function checkHttp1(req: IncomingMessage, values: Map<string, string[]>): Framed | RequestRefusal {
  const { httpVersion } = req;
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return bad('Only HTTP/1.0, 1.1 and 2 are supported.');
  if (httpVersion === '1.1' && !values.has('host')) return badHost;
  const codings = values.get('transfer-encoding');
  if (codings === undefined) return { isStreamed: false };
  // Only `chunked` is allowed, never with a length, never in HTTP/1.0 (RFC 9112 6.1, 6.3).
  const isChunked = codings.length === 1 && codings[0]?.toLowerCase() === 'chunked';
  if (!isChunked || values.has('content-length') || httpVersion === '1.0') return badFraming;
  return { isStreamed: true };
}

function checkHttp2(
  req: Exclude<Request, IncomingMessage>,
  values: Map<string, string[]>,
): Framed | RequestRefusal {
  for (const name of values.keys()) {
    if (connectionSpecific.has(name)) return badHttp2;
  }
  if (values.get('te')?.some((value) => value.toLowerCase() !== 'trailers')) return badHttp2;
  const { ':scheme': scheme } = req.headers;
  if (scheme !== 'http' && scheme !== 'https') return badHttp2;
  const host = http2Authority(req.rawHeaders);
  if (host === undefined) return badHost;
  // Content of another length than announced resets the stream (RFC 9113 8.1.1), which nghttp2 enforces.
  const isStreamed = !values.has('content-length') && !req.stream.endAfterHeaders;
  return { isStreamed, host };
}
