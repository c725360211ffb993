// The request as the upstream gets it, said to httpxy in the little it reads of one. httpxy makes the
// connection, pipes the content, ends the one side when the other is gone, and drains what a client
// still sends after an early response; field by field we say what goes out, because httpxy passes
// `headers` on as they are: joined, hop-by-hop fields among them, X-Forwarded-* as a client set them.

import type { IncomingMessage } from 'node:http';
import type { Request } from '../handler.ts';
import { endToEnd, type Fields, linesOf } from './fields.ts';
import { addForwarded, type ForwardedMode } from './forwarded.ts';
import type { Checked } from './request-check.ts';

export interface OutgoingOptions {
  readonly forwarded: ForwardedMode;
  /** Host is the upstream's own instead of the client's. */
  readonly changeOrigin: boolean;
  /** Pseudonym for Via (RFC 9110 7.6.3); undefined: no field. */
  readonly via: string | undefined;
  /** The proxy itself speaks TLS. */
  readonly isTls: boolean;
  readonly isTrusted: (address: string | undefined) => boolean;
  readonly upstreamAuthority: string;
}

/** What httpxy reads of a request; `web` and `ws` declare an IncomingMessage. */
export class Outgoing {
  readonly httpVersion = '1.1';
  readonly httpVersionMajor = 1;
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string | string[]>;
  readonly #req: Request;

  constructor(req: Request, checked: Checked, options: OutgoingOptions) {
    this.#req = req;
    this.method = req.method ?? 'GET';
    this.url = checked.target;
    this.headers = headersOf(req, checked, options);
  }

  get socket() {
    return this.#req.socket;
  }

  on(event: string, listener: (...args: unknown[]) => void): this {
    this.#req.on(event, listener);
    return this;
  }

  /** The claim httpxy's types make; the members above are all it uses. */
  get asMessage(): IncomingMessage {
    return this as unknown as IncomingMessage;
  }
}

function headersOf(
  req: Request,
  { host, hasBody }: Checked,
  options: OutgoingOptions,
): Record<string, string | string[]> {
  // RFC 9110 7.2: first.
  const chosenHost = options.changeOrigin ? options.upstreamAuthority : host;
  const fields: Fields = new Map([
    ['host', { name: 'Host', values: [] }],
    ...endToEnd(req.rawHeaders),
    ['host', { name: 'Host', values: [chosenHost ?? options.upstreamAuthority] }],
  ]);
  // It is sent once the connection is there: see upload.ts.
  fields.delete('expect');
  if (!hasBody || req.headers['transfer-encoding'] === undefined) fields.delete('trailer');
  joinCookies(fields);
  const address = req.socket?.remoteAddress;
  const asker = {
    address,
    isTrusted: options.isTrusted(address),
    proto: options.isTls ? 'https' : 'http',
    host,
  } as const;
  addForwarded(fields, asker, options.forwarded);
  if (options.via !== undefined) {
    const before = fields.get('via')?.values ?? [];
    const version = req.httpVersionMajor === 2 ? '2.0' : req.httpVersion;
    const via = [...before, `${version} ${options.via}`].join(', ');
    fields.set('via', { name: 'Via', values: [via] });
  }
  const headers = Object.fromEntries([...fields].map(([, field]) => [field.name, linesOf(field)]));
  // Trailer fields of the response are wanted (RFC 9110 10.1.4); the option belongs to the field.
  if (/\btrailers\b/i.test(String(req.headers.te ?? ''))) {
    headers.TE = 'trailers';
    headers.connection = 'TE';
  }
  return headers;
}

/** HTTP/2 may cut Cookie into several; HTTP/1.1 has one (RFC 9113 8.2.3). */
function joinCookies(fields: Fields): void {
  const cookie = fields.get('cookie');
  if (cookie) fields.set('cookie', { name: cookie.name, values: [cookie.values.join('; ')] });
}
