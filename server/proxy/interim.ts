// Passes interim responses, 100 Continue and 103 Early Hints among them, to the client (RFC 9110 15.2: a proxy must
// forward those it did not request itself).

import type { InformationEvent, ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import { isHttp1, ourTurn, type Request, type Response } from '../listen/handler.ts';
import { headText, linesOf, reasonOf, responseFields } from './end-to-end-fields.ts';

/** In order on a pipelined connection, and never after the final header. */
export function passInterim(req: Request, res: Response, interim: InformationEvent): void {
  const { statusCode, statusMessage, rawHeaders } = interim;
  // RFC 9110 15.2: unknown to HTTP/1.0 clients.
  if (req.httpVersion === '1.0') return;
  const fields = responseFields(statusCode, rawHeaders);
  if (!isHttp1(req)) {
    const { stream } = res as unknown as Http2ServerResponse;
    if (stream.headersSent || stream.destroyed) return;
    const headers = Object.fromEntries(
      [...fields].map(([lower, field]) => [lower, linesOf(field)]),
    );
    stream.additionalHeaders({ ...headers, ':status': statusCode });
    return;
  }
  const head = headText(`${statusCode} ${reasonOf(statusMessage)}`, fields);
  const write = () => {
    if (!res.headersSent) (res as unknown as ServerResponse).socket?.write(head, 'latin1');
  };
  const turn = ourTurn(req, res);
  if (turn === true) write();
  else void turn.then(write);
}
