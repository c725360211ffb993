// Requests refused before any handler sees them, in either protocol.

import { hasValidHost, http2Authority } from '../../http/host-field.ts';
import { isHttp1, type Request } from './handler.ts';
import type { Limits } from './limits.ts';

/** The status of the refusal, or undefined. */
export function refusal(req: Request, limits: Limits): number | undefined {
  const { rawHeaders } = req;
  const isForOne = isHttp1(req) ? hasValidHost(req) : http2Authority(rawHeaders) !== undefined;
  if (!isForOne) return 400;
  if (Buffer.byteLength(req.url ?? '') > limits.maxUrlBytes) return 414;
  const announcedBytes = Number(req.headers['content-length'] ?? 0);
  if (announcedBytes > limits.maxRequestBodyBytes) return 413;
  // Content in GET has no meaning (RFC 9110 9.3.1): http.Server drains it if its length is known and small; otherwise
  // the amount is unknown.
  const isGet = req.method === 'GET' || req.method === 'HEAD';
  if (isGet && isHttp1(req) && req.headers['transfer-encoding'] !== undefined) return 413;
  return undefined;
}
