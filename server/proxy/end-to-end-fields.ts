// Decides which fields are forwarded, in both directions. End-to-end fields are, unchanged in case, order and line
// structure. Hop-by-hop fields are not (RFC 9110 7.6.1), because they concern one connection. Proxy-Authenticate and
// Proxy-Authorization are for proxies that the client chose, unlike this one. Get-All is not forwarded, because the
// proxy needs a request of its own for each resource to learn from and to hint on.

import { nameList } from '../../http/field-syntax.ts';
import { hopByHop } from '../../http/hop-by-hop.ts';

/** Fields that Connection cannot remove, because they define the end of a message or its target. */
const kept = new Set(['content-length', 'host', 'trailer']);
/** Fields that are useless or dangerous as trailers, which follow the content (RFC 9110 6.5.1). */
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

/** Maps each name in lower case to the name as first received, and its values. */
export type EndToEndFields = Map<string, { readonly name: string; readonly values: string[] }>;

function* pairs(raw: readonly string[]): Generator<[name: string, lower: string, value: string]> {
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? '';
    yield [name, name.toLowerCase(), raw[i + 1] ?? ''];
  }
}

/** Returns the end-to-end fields of `rawHeaders`, without HTTP/2's pseudo-fields. */
export function endToEnd(rawHeaders: readonly string[]): EndToEndFields {
  const dropped = new Set([...hopByHop, 'get-all']);
  for (const [, lower, value] of pairs(rawHeaders)) {
    if (lower !== 'connection') continue;
    for (const named of nameList(value)) if (!kept.has(named)) dropped.add(named);
  }
  const fields: EndToEndFields = new Map();
  for (const [name, lower, value] of pairs(rawHeaders)) {
    if (dropped.has(lower) || name.startsWith(':')) continue;
    const field = fields.get(lower);
    if (field) field.values.push(value);
    else fields.set(lower, { name, values: [value] });
  }
  return fields;
}

/** Returns whether a response with this status has no content, whatever its fields say (RFC 9110 6.4.1). */
export function isWithoutContent(status: number): boolean {
  return status < 200 || status === 204 || status === 304;
}

/**
 * Returns the end-to-end fields of a response. Framing fields of a response without content are dropped: a length of
 * content that never comes would make the client read the next response as this content.
 */
export function responseFields(status: number, rawHeaders: readonly string[]): EndToEndFields {
  const fields = endToEnd(rawHeaders);
  if (isWithoutContent(status)) {
    fields.delete('content-length');
    fields.delete('trailer');
  }
  return fields;
}

/** Returns the reason phrase if it may be sent (RFC 9112 4); otherwise ''. */
export function reasonOf(phrase: string | undefined): string {
  return phrase !== undefined && /^[\t -~\x80-\xff]*$/.test(phrase) ? phrase : '';
}

/** Returns the header section of a response that is written to an HTTP/1.1 client without a response object. */
export function headText(statusLine: string, fields: EndToEndFields): string {
  const lines = [...fields.values()].flatMap(({ name, values }) =>
    values.map((value) => `${name}: ${value}\r\n`),
  );
  return `HTTP/1.1 ${statusLine}\r\n${lines.join('')}\r\n`;
}

/** Returns the trailer fields that may be forwarded. */
export function trailersOf(rawTrailers: readonly string[]): [name: string, value: string][] {
  return [...pairs(rawTrailers)]
    .filter(([, lower]) => !notInTrailers.has(lower) && !isProxyClaim(lower))
    .map(([name, , value]) => [name, value]);
}

/** Returns the values of a field: a string for one line, a list for several, as in node:http and node:http2. */
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
  // X-Original-URL and the like name the target for frameworks behind IIS, and in rules for nginx.
  'x-(?:ms-)?(?:original|rewrite)-(?:url|uri|host|method)',
  'x-script-name',
  // CGI passes Proxy as HTTP_PROXY, the variable that tells a program where to send its own requests.
  'proxy',
].join('|');
const claim = new RegExp(`^(?:http-)?(?:${claimPatterns})$`);

function normalForm(lower: string): string {
  return lower.replace(/[^a-z0-9]/g, '-');
}

/**
 * Returns whether only a proxy may send a field: it says who asks, from where, by which protocol and certificate, for
 * which host and URL. From a stranger it is a claim that the site may believe. Spellings count as one where a server
 * reads them as one: CGI turns each character that is neither letter nor digit into `_` (RFC 3875 4.1.18).
 * @param lower name of a field in lower case
 */
export function isProxyClaim(lower: string): boolean {
  return claim.test(normalForm(lower));
}

/** Returns false for spellings such as `x_forwarded_for`, which escape a proxy that replaces only the usual name. */
export function isUsualSpelling(lower: string): boolean {
  return normalForm(lower) === lower;
}
