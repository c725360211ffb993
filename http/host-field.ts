// For whom a request is: servers that choose by Host, or keep by it, must not be able to choose differently. So there
// is one Host, and it names an authority (RFC 9112 3.2: anything else is answered 400). A target in absolute form names
// the same: by RFC 9112 3.2.2 it stands in place of Host, and not everybody who looks at Host knows that.

import type { IncomingMessage } from 'node:http';

/** Registered name, IPv4 or [IPv6], and a port (RFC 3986 3.2.2, 3.2.3); no userinfo. */
export const authority = /^(?:[0-9A-Za-z._~-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/** Authority, and what comes behind it. */
export const absoluteForm = /^https?:\/\/([^/?#]+)([!-"$-~]*)$/i;

/** Looked up in the lines as they came: `headers` keeps the first Host and drops the others. */
export function hasValidHost(
  req: Pick<IncomingMessage, 'rawHeaders' | 'httpVersion' | 'url'>,
): boolean {
  const { rawHeaders, httpVersion, url = '' } = req;
  const named = url.startsWith('/') ? undefined : absoluteForm.exec(url)?.[1]?.toLowerCase();
  if (named === undefined && !url.startsWith('/') && url !== '*') return false;
  if (named !== undefined && !authority.test(named)) return false;
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() !== 'host') continue;
    hosts++;
    const host = rawHeaders[i + 1] ?? '';
    if (!authority.test(host)) return false;
    if (named !== undefined && named !== host.toLowerCase()) return false;
  }
  return hosts === 1 || (hosts === 0 && httpVersion !== '1.1');
}

/** What a request over HTTP/2 is for; undefined if that is not one valid thing (RFC 9113 8.3.1). */
export function http2Authority(rawHeaders: readonly string[]): string | undefined {
  const named: string[] = [];
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name, value = ''] = [rawHeaders[i], rawHeaders[i + 1]];
    if (name !== ':authority' && name !== 'host') continue;
    if (name === 'host') hosts++;
    named.push(value);
  }
  const isOne = hosts <= 1 && new Set(named.map((each) => each.toLowerCase())).size === 1;
  return isOne && authority.test(named[0] ?? '') ? named[0] : undefined;
}
