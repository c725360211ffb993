// Which host a request is for. Servers route and cache by host, so all of them must read the same one. A valid request
// has exactly one Host (HTTP/1.0: at most one), which is a valid authority (RFC 9112 3.2: anything else is answered
// 400). A target in absolute form must name that same authority: it overrides Host (RFC 9112 3.2.2), but not every
// server knows that.

import type { IncomingMessage } from 'node:http';

/** Matches a registered name, IPv4 or [IPv6], with an optional port, which may be empty (RFC 3986 3.2.2, 3.2.3);
 *  without userinfo. */
export const authority = /^(?:[0-9A-Za-z._~-]+|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/;

/** Matches a request target in absolute form (a whole URL); captures its authority and the rest of the URL. */
export const absoluteForm = /^https?:\/\/([^/?#]+)([!-"$-~]*)$/i;

/** True if two authorities name the same host and port: an empty port counts as none (RFC 3986 6.2.3). */
export function isSameAuthority(one: string, other: string): boolean {
  const normal = (text: string) => text.toLowerCase().replace(/:$/, '');
  return normal(one) === normal(other);
}

/** Returns whether a request has one valid Host (HTTP/1.0: at most one), which an absolute target must repeat. Checks
 *  the raw lines, because `headers` keeps only the first Host. */
export function hasValidHost(
  req: Pick<IncomingMessage, 'rawHeaders' | 'httpVersion' | 'url'>,
): boolean {
  const { rawHeaders, httpVersion, url = '' } = req;
  const named = url.startsWith('/') ? undefined : absoluteForm.exec(url)?.[1];
  if (named === undefined && !url.startsWith('/') && url !== '*') return false;
  if (named !== undefined && !authority.test(named)) return false;
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() !== 'host') continue;
    hosts++;
    const host = rawHeaders[i + 1] ?? '';
    if (!authority.test(host)) return false;
    if (named !== undefined && !isSameAuthority(named, host)) return false;
  }
  return hosts === 1 || (hosts === 0 && httpVersion !== '1.1');
}

/** Returns the authority of an HTTP/2 request; undefined unless exactly one valid value is named (RFC 9113 8.3.1). */
export function http2Authority(rawHeaders: readonly string[]): string | undefined {
  const named: string[] = [];
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name, value = ''] = [rawHeaders[i], rawHeaders[i + 1]];
    if (name !== ':authority' && name !== 'host') continue;
    if (name === 'host') hosts++;
    named.push(value);
  }
  const [first = ''] = named;
  const isOne = hosts <= 1 && named.every((each) => isSameAuthority(each, first));
  return isOne && authority.test(first) ? first : undefined;
}
