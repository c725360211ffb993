// Makes the fields of a request as sent upstream, a raw list: order, case and repeated lines are preserved. Fields
// about the connection and the end of the content are dropped; framing.ts makes the field about the end of the content
// anew. node:http writes the list and adds Connection: keep-alive.

import { randomBytes } from 'node:crypto';
import type { Request } from '../listen/handler.ts';
import { type EndToEndFields, endToEnd } from './end-to-end-fields.ts';
import { takeForwarded } from './forwarded.ts';
import { framingFields, hasContent } from './framing.ts';
import type { Checked } from './request-check.ts';

export interface UpstreamFieldsOptions {
  /** Whether to send the upstream's Host instead of the client's. */
  readonly changeOrigin: boolean;
  readonly loopMark: LoopMark;
  /** Whether clients reach the proxy over TLS. */
  readonly isTls: boolean;
  readonly isTrusted: (address: string | undefined) => boolean;
  readonly upstreamAuthority: string;
}

/** Makes the fields of a forwarded request or a WebSocket handshake. @returns Alternating names and values */
export function upstreamFields(
  req: Request,
  { host, framing }: Checked,
  options: UpstreamFieldsOptions,
  { isWebSocket }: { isWebSocket: boolean },
): string[] {
  const chosenHost = options.changeOrigin ? options.upstreamAuthority : host;
  const fields = endToEnd(req.rawHeaders);
  fields.delete('host');
  fields.delete('content-length');
  if (framing.kind !== 'chunked') fields.delete('trailer');
  // With content, Expect is kept: the client waits for the upstream's 100, which arrives as an interim response.
  if (req.httpVersion === '1.0' || !hasContent(framing)) fields.delete('expect');
  joinCookies(fields);
  const address = req.socket?.remoteAddress;
  const asker = {
    address,
    isTrusted: options.isTrusted(address),
    proto: options.isTls ? 'https' : 'http',
    host,
  } as const;
  const told = takeForwarded(fields, asker);
  options.loopMark.add(fields);
  // The Host field is the first one (RFC 9110 7.2).
  const list = ['Host', chosenHost ?? options.upstreamAuthority];
  for (const { name, values } of [...told.values(), ...fields.values()]) {
    for (const value of values) list.push(name, value);
  }
  if (isWebSocket) list.push('Connection', 'Upgrade', 'Upgrade', 'websocket');
  // The client wants trailers of the response (RFC 9110 10.1.4); Connection must name TE.
  else if (/\btrailers\b/i.test(String(req.headers.te ?? ''))) {
    list.push('TE', 'trailers', 'Connection', 'TE');
  }
  list.push(...framingFields(framing, req.method ?? 'GET'));
  return list;
}

/** Joins the several Cookie fields that HTTP/2 permits into the one of HTTP/1.1 (RFC 9113 8.2.3). */
function joinCookies(fields: EndToEndFields): void {
  const cookie = fields.get('cookie');
  if (cookie) fields.set('cookie', { name: cookie.name, values: [cookie.values.join('; ')] });
}

const loopField = 'cdn-loop';

/**
 * Detects proxy loops, in which a request would circulate until its header becomes too large. Each proxy adds a unique
 * name to CDN-Loop (RFC 8586) and refuses requests that contain it. (Via, which RFC 9110 7.6.3 asks for, is not
 * sent: nginx does not compress responses to requests with Via, except with `gzip_proxied any`.)
 */
export class LoopMark {
  readonly #name = `loadahead-${randomBytes(6).toString('hex')}`;

  /** Returns whether a request with this value of CDN-Loop has passed here before. */
  isOn(value: string | undefined): boolean {
    return value?.includes(this.#name) === true;
  }

  add(fields: EndToEndFields): void {
    const before = fields.get(loopField)?.values ?? [];
    fields.set(loopField, { name: 'CDN-Loop', values: [[...before, this.#name].join(', ')] });
  }
}
