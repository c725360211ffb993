// Small answers in plain text: errors, refusals, redirects. They name the status and never repeat what
// the client sent, so there is nothing to escape.

import { STATUS_CODES } from 'node:http';
import { isHttp1, type Request, type Response } from './handler.ts';

/** What may have been set for the answer that is not given; other handlers' fields stay. */
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
  /** One ASCII sentence of ours. */
  detail?: string,
): void {
  const text = reason(status, detail);
  res.statusCode = status;
  for (const name of representationFields) res.removeHeader(name);
  res.setHeader('Content-Type', 'text/plain');
  res.setHeader('Content-Length', String(text.length));
  res.setHeader('X-Content-Type-Options', 'nosniff');
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  // Content still on its way would otherwise be read to its end, however long it is.
  if (isHttp1(req) && !req.complete) res.setHeader('Connection', 'close');
  if (req.method === 'HEAD') res.end();
  else res.end(text);
}

/** The same for a request that could not be parsed: there is no response object then. */
export function lastWords(status: number, detail?: string): string {
  const text = reason(status, detail);
  return (
    `HTTP/1.1 ${reason(status).trimEnd()}\r\nConnection: close\r\nContent-Type: text/plain\r\n` +
    `Content-Length: ${text.length}\r\n\r\n${text}`
  );
}
