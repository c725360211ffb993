// Sends every response of the service, with a known length; caching is off by default, and sniffing of types always.
// Express's res.json and res.send are not used, because they cost more than finding the hints.

import type { ServerResponse } from 'node:http';
import { type Problem, problemType } from './problem.ts';

export const json = 'application/json';

export function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  headers?: Readonly<Record<string, string>>,
): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
  response.end(body);
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  send(response, status, json, JSON.stringify(value));
}

/** Sends a response without a body (204), whose header fields say everything. */
export function sendNothing(response: ServerResponse, headers?: Record<string, string>): void {
  response.writeHead(204, { 'Cache-Control': 'no-store', ...headers });
  response.end();
}

export function sendProblem(response: ServerResponse, problem: Problem): void {
  send(response, problem.status, problemType, JSON.stringify(problem), problem.headers);
}
