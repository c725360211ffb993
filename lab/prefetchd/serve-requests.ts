// Requests as bytes, prepared before anything is timed: 10,000 visitors at a time walk the generated site (site.ts),
// each with a distinct address and user agent.

import type { Access } from '../../prefetchd/index.ts';
import { modelSite } from './model-settings.ts';
import { batchOf, siteAccesses } from './site.ts';

/** `hints`: POST /v1/hints. `pages`: documents alone, through a proxy that names the visitor. */
export const requestKinds = {
  hints: (access: Access) =>
    post('/v1/hints', JSON.stringify({ client: agentOf(access.client), url: access.url })),
  pages: ({ client, url }: Access) =>
    head(`GET ${url}`, [
      `User-Agent: ${userAgent(client)}`,
      'Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
      'Accept-Encoding: gzip, deflate, br',
      'Accept-Language: en',
      `X-Forwarded-For: ${client}`,
    ]),
} as const;

export type RequestKind = keyof typeof requestKinds;

/** The same seed gives the same requests; pages link to each other the same with any. */
export function requestsOf(kind: RequestKind, count: number, seed: number): Buffer[] {
  const accesses = siteAccesses({ ...modelSite, seed });
  const wanted = kind === 'pages' ? onlyDocuments(accesses) : accesses;
  return batchOf(wanted, count).map((access) => Buffer.from(requestKinds[kind](access), 'latin1'));
}

/** Address and user agent, with a blank between. */
export function agentOf(address: string): string {
  return `${address} ${userAgent(address)}`;
}

function userAgent(address: string): string {
  const version = 100 + (Number(address.slice(address.lastIndexOf('.') + 1)) % 40);
  return `Mozilla/5.0 (X11; Linux x86_64; rv:${version}.0) Gecko/20100101 Firefox/${version}.0`;
}

function* onlyDocuments(accesses: Iterable<Access>): Generator<Access> {
  for (const access of accesses) if (access.kind === 'document') yield access;
}

function post(path: string, body: string): string {
  const type = 'Content-Type: application/json';
  return head(`POST ${path}`, [type, `Content-Length: ${body.length}`]) + body;
}

function head(start: string, fields: readonly string[]): string {
  return `${[`${start} HTTP/1.1`, 'Host: localhost', ...fields].join('\r\n')}\r\n\r\n`;
}
