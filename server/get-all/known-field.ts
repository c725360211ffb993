// `Get-All: ?1` on HTML responses that did not use the field, so that clients know whom to send it.

import type { Request, Response } from '../listen/handler.ts';

interface HeadResponse extends Response {
  writeHead(...call: unknown[]): unknown;
  getHeader(name: string): unknown;
}

/** Before the head is written, by the site or by Node itself. */
export function sayKnown(_req: Request, response: Response): void {
  const res = response as HeadResponse;
  const { writeHead } = res;
  res.writeHead = (...call) => {
    res.writeHead = writeHead;
    const last = call.at(-1);
    const given = typeof last === 'object' && last !== null ? contentType(last) : undefined;
    const type = given ?? res.getHeader('content-type');
    if (!res.headersSent && isHtml(String(type ?? ''))) res.setHeader('Get-All', '?1');
    return writeHead.apply(res, call);
  };
}

export function isHtml(contentType: string): boolean {
  return /^(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(contentType.trim());
}

/** Among the fields passed to writeHead: an object, a flat list, or a list of pairs. */
function contentType(fields: object): unknown {
  const flat = Array.isArray(fields) ? fields.flat() : Object.entries(fields).flat();
  const at = flat.findIndex((each, i) => i % 2 === 0 && /^content-type$/i.test(String(each)));
  return at === -1 ? undefined : flat[at + 1];
}
