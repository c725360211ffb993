// Which fields are forwarded, in both directions. End-to-end fields are, unchanged in case, order and line structure.
// Hop-by-hop fields are not (RFC 9110 7.6.1), because they concern one connection. Proxy-Authenticate and
// Proxy-Authorization are for proxies chosen by the client, which this is not. Get-All ends here, because a proxy
// learns from requests, and hints on responses, that are each for one resource.

import { hopByHop } from '../../http/hop-by-hop.ts';

/** Cannot be removed by naming them in Connection: they define where a message ends and its target. */
const kept = new Set(['content-length', 'host', 'trailer']);
/** Useless or dangerous after the content (RFC 9110 6.5.1). */
const notInTrailers = new Set([
  ...hopByHop,
  'authorization',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'cookie',
  'host',
  'set-cookie',
  'trailer',
]);

/** Name as first received, and its values; keys in lower case. */
export type Fields = Map<string, { readonly name: string; readonly values: string[] }>;

function* pairs(raw: readonly string[]): Generator<[name: string, lower: string, value: string]> {
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? '';
    yield [name, name.toLowerCase(), raw[i + 1] ?? ''];
  }
}

/** The end-to-end fields of `rawHeaders`, without HTTP/2's pseudo-fields. */
export function endToEnd(rawHeaders: readonly string[]): Fields {
  const dropped = new Set([...hopByHop, 'get-all']);
  for (const [, lower, value] of pairs(rawHeaders)) {
    if (lower !== 'connection') continue;
    for (const option of value.split(',')) {
      const named = option.trim().toLowerCase();
      if (!kept.has(named)) dropped.add(named);
    }
  }
  const fields: Fields = new Map();
  for (const [name, lower, value] of pairs(rawHeaders)) {
    if (dropped.has(lower) || name.startsWith(':')) continue;
    const field = fields.get(lower);
    if (field) field.values.push(value);
    else fields.set(lower, { name, values: [value] });
  }
  return fields;
}

/** True if a response with this status has no content, whatever its fields say (RFC 9110 6.4.1). */
export function isWithoutContent(status: number): boolean {
  return status < 200 || status === 204 || status === 304;
}

/**
 * The end-to-end fields of a response. Without content they say nothing of its framing: a length of content that does
 * not come makes the next response look like it.
 */
export function responseFields(status: number, rawHeaders: readonly string[]): Fields {
  const fields = endToEnd(rawHeaders);
  if (isWithoutContent(status)) {
    fields.delete('content-length');
    fields.delete('trailer');
  }
  return fields;
}

/** The reason phrase as far as it may be sent (RFC 9112 4); otherwise none. */
export function reasonOf(phrase: string | undefined): string {
  return phrase !== undefined && /^[\t -~\x80-\xff]*$/.test(phrase) ? phrase : '';
}

/** The header section of a response to an HTTP/1.1 client that is written as it is. */
export function headText(statusLine: string, fields: Fields): string {
  const lines = [...fields.values()].flatMap(({ name, values }) =>
    values.map((value) => `${name}: ${value}\r\n`),
  );
  return `HTTP/1.1 ${statusLine}\r\n${lines.join('')}\r\n`;
}

/** Trailer fields that may be forwarded. */
export function trailersOf(rawTrailers: readonly string[]): [name: string, value: string][] {
  return [...pairs(rawTrailers)]
    .filter(([, lower]) => !notInTrailers.has(lower) && !isProxyClaim(lower))
    .map(([name, , value]) => [name, value]);
}

/** A string for one line, a list for several, as in node:http and node:http2. */
export function linesOf({ values }: { values: string[] }): string | string[] {
  return values.length === 1 ? (values[0] ?? '') : values;
}

const claimPatterns = [
  '(?:.+-)?forwarded(?:-.*)?',
  '(?:.+-)?(?:client|connection|real|connecting|remote|originating|original|external|proxyuser|user|source|socket|viewer)-?(?:ip|ipv6|addr|address)',
  'x-original-(?:for|proto)',
  'x-azure-socketip',
  '(?:x-)?(?:remote|auth-request|authenticated)-user',
  'x-ms-client-principal(?:-.*)?',
  '(?:.+-)?(?:ssl|tls)-(?:client|cert)(?:-.*)?',
  '(?:x-)?(?:arr-)?client-?(?:cert|verify|s?-?dn)(?:-.*)?',
  '(?:x-arr-ssl|cf-visitor|https)',
  'x-(?:http-)?host(?:-override)?',
  'x-(?:url-)?scheme',
  'front-end-https',
  // The target for frameworks behind IIS, and in rules for nginx.
  'x-(?:ms-)?(?:original|rewrite)-(?:url|uri|host|method)',
  'x-script-name',
  // CGI reads it as HTTP_PROXY, where a program's own requests go.
  'proxy',
].join('|');
const claim = new RegExp(`^(?:http-)?(?:${claimPatterns})$`);

function normalForm(lower: string): string {
  return lower.replace(/[^a-z0-9]/g, '-');
}

/**
 * True for a field in which only a proxy speaks: who asks, from where, by which protocol and certificate, for which
 * host and URL. From a stranger it is a claim that the site may believe. Spellings count as one where a server reads
 * them as one: CGI turns what is neither letter nor digit into `_` (RFC 3875 4.1.18).
 * @param lower name of a field in lower case
 */
export function isProxyClaim(lower: string): boolean {
  return claim.test(normalForm(lower));
}

/** False for `x_forwarded_for`: a proxy replaces the real name, and may pass a stranger's other spelling. */
export function isUsualSpelling(lower: string): boolean {
  return normalForm(lower) === lower;
}
