// The request's content on its way to the upstream: how its end is told, what it waits for, how much
// of it there may be, and its trailers. httpxy pipes it; this is set up just before.

import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Request } from '../handler.ts';
import { trailersOf } from './fields.ts';
import type { Checked } from './request-check.ts';

/**
 * @param tooLong called once when content of unknown length is over `maxBytes`
 */
export function prepareUpload(
  req: Request,
  proxyReq: ClientRequest,
  { hasBody, contentLength }: Checked,
  maxBytes: number,
  tooLong: () => void,
): void {
  // httpxy gives DELETE and OPTIONS a Content-Length of 0, beside a Transfer-Encoding too.
  // (Removed from a POST, Node would send chunks instead of the 0 it adds itself.)
  const isHttpxys = contentLength === undefined && proxyReq.hasHeader('Content-Length');
  if (isHttpxys) proxyReq.removeHeader('Content-Length');
  if (!hasBody) return;
  if (contentLength === undefined) {
    // Set here and not in the fields httpxy is given: it would close the connection for it.
    proxyReq.setHeader('Transfer-Encoding', 'chunked');
    let bytes = 0;
    req.on('data', (chunk: Buffer) => {
      const before = bytes;
      bytes += chunk.length;
      if (before <= maxBytes && bytes > maxBytes) tooLong();
    });
    // Before httpxy's pipe ends the request.
    req.once('end', () => {
      const trailers = trailersOf((req as IncomingMessage).rawTrailers ?? []);
      if (trailers.length > 0) proxyReq.addTrailers(trailers);
    });
  }
  // The client waits for the upstream's word before it sends; its 100 comes as an interim response.
  if (req.httpVersion !== '1.0' && req.headers.expect !== undefined) {
    proxyReq.setHeader('Expect', '100-continue');
  }
  // The head does not wait for the content.
  proxyReq.flushHeaders();
}
