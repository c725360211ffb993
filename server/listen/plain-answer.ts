// Sends short responses. Errors, refusals and redirects are plain text: they name the status and never repeat the
// client's input, so nothing needs escaping. It also sends texts that middleware serves by itself, such as scripts.

import { STATUS_CODES } from 'node:http';
import { isHttp1, type Request, type Response } from './handler.ts';

/** Fields of a handler's response that do not apply to the plain text sent instead; other fields stay. */
const representationFields = [
  'Accept-Ranges',
  'Cache-Control',
  'Content-Encoding',
  'Content-Range',
  'ETag',
  'Last-Modified',
];

function reason(status: number, detail?: string): string {
  const first = `${status} ${STATUS_CODES[status] ?? 'Error'}\n`;
  return detail === undefined ? first : `${first}${detail}\n`;
}

export function plainAnswer(
  req: Request,
  res: Response,
  status: number,
  headers: Readonly<Record<string, string>> = {},
  /** One ASCII sentence that contains nothing from the client. */
  detail?: string,
): void {
  const text = reason(status, detail);
  res.statusCode = status;
  for (const name of representationFields) res.removeHeader(name);
  res.setHeader('Content-Type', 'text/plain');
  res.setHeader('Content-Length', String(text.length));
  res.setHeader('X-Content-Type-Options', 'nosniff');
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  // Without `Connection: close`, Node would read the remaining content to its end, however long.
  if (isHttp1(req) && !req.complete) res.setHeader('Connection', 'close');
  if (req.method === 'HEAD') res.end();
  else res.end(text);
}

/** Answers GET or HEAD with a text that the middleware itself makes. */
export function textAnswer(
  req: Request,
  res: Response,
  { type, caching }: { type: string; caching: string },
  body: string,
): void {
  res.statusCode = 200;
  res.setHeader('Content-Type', type);
  res.setHeader('Content-Length', String(Buffer.byteLength(body)));
  res.setHeader('Cache-Control', caching);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.end(req.method === 'HEAD' ? '' : body);
}

/** Returns a short response to a request that could not be parsed, for which there is no response object. */
export function lastWords(status: number, detail?: string): string {
  const text = reason(status, detail);
  return (
    `HTTP/1.1 ${reason(status).trimEnd()}\r\nConnection: close\r\nContent-Type: text/plain\r\n` +
    `Content-Length: ${text.length}\r\n\r\n${text}`
  );
}
