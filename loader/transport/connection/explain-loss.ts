// Turns errors of undici or the system at the end of a connection or response into errors with useful messages.

import { LoaderError } from '../../errors.ts';
import { explainTlsFailure } from '../connect/tls-faults.ts';
import type { Exchange } from '../exchange.ts';

const http2Hint =
  'the server does not speak HTTP/2 here (use another protocol), or sent a field of over 64 KiB';

/** @param exchange The exchange that was waiting for a response at that time; null: none. */
export function explainLoss(
  error: Error & { code?: string },
  exchange: Exchange | null,
): LoaderError {
  if (error instanceof LoaderError) return error;
  const code = error.code ?? '';
  const cause = { cause: error };
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new LoaderError('headers-too-large', 'header section over limits.maxHeaderBytes', cause);
  }
  const origin = exchange?.url;
  if (code.startsWith('ERR_SSL_') && origin !== undefined) {
    // In TLS 1.3 the server verifies the client's certificate after the handshake (RFC 8446 4.4.2.4).
    return explainTlsFailure(error, {
      origin,
      offered: 'either',
      certificate: null,
      nowMs: Date.now(),
    });
  }
  const first = (exchange?.attempt.pipelineIndex ?? 0) === 0 && exchange?.attempt.head === null;
  if (first && error.message.includes('Expected HTTP/')) {
    // These bytes begin a TLS alert (RFC 8446 5.1).
    const isTls = String((error as { data?: unknown }).data ?? '').startsWith('\x15\x03');
    const hint = isTls
      ? `it speaks TLS: use https://${origin?.host}/`
      : 'if it speaks HTTP/2 without TLS, use protocol h2';
    return new LoaderError(
      'malformed-response',
      `not a valid HTTP response: no status line; ${hint}`,
      cause,
    );
  }
  if (code === 'REFUSED_STREAM') return new LoaderError('connection-lost', error.message, cause);
  if (code === 'ERR_HTTP2_SESSION_ERROR') {
    return http2Error(Number(/\d+$/.exec(error.message)?.[0]), error);
  }
  if (code.startsWith('ERR_HTTP2')) {
    const hint = first ? `; ${http2Hint}` : '';
    return new LoaderError('connection-lost', `HTTP/2: ${error.message}${hint}`, cause);
  }
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError') {
    return new LoaderError(
      'malformed-response',
      `not a valid HTTP response: ${error.message}`,
      cause,
    );
  }
  if (error.message === 'bad response' || error.message === 'bad upgrade') {
    return new LoaderError('malformed-response', 'a response that was not requested', cause);
  }
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && exchange?.attempt.head == null) {
    const message = 'not a valid HTTP response: its Content-Length is not a number, or ambiguous';
    return new LoaderError('malformed-response', message, cause);
  }
  const { httpVersion } = exchange?.attempt.connection ?? {};
  if (httpVersion === 'h2' && exchange?.attempt.head == null) {
    return new LoaderError('connection-lost', 'HTTP/2: the server closed the stream', cause);
  }
  const closed = httpVersion === 'h2' ? 'HTTP/2 stream closed' : 'connection closed';
  const isReset = code === 'ECONNRESET' || code === 'EPIPE';
  const how = isReset ? `connection reset (${code})` : closed;
  if (exchange?.attempt.head == null) {
    const mayBeTls = origin?.protocol === 'http:' && exchange?.leads === true && first;
    const hint = mayBeTls ? `; if it speaks TLS, use https://${origin?.host}/` : '';
    return new LoaderError('connection-lost', `${how} before the response${hint}`, cause);
  }
  const { received, expected } = exchange.attempt;
  if (expected !== null && received !== expected) {
    const message = `${how} after ${received} of ${expected} bytes`;
    return new LoaderError('length-mismatch', message, cause);
  }
  return new LoaderError(
    'connection-lost',
    `${how} inside the body, after ${received} bytes`,
    cause,
  );
}

/** Whether this is undici's error for response bytes without a request. */
export function isSurplus(error: Error & { code?: string }): boolean {
  return error.message === 'bad response' || (error.code ?? '').startsWith('HPE_');
}

/** Converts any error that stopped a response into a LoaderError. */
export function asLoaderError(error: unknown): LoaderError {
  if (error instanceof LoaderError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new LoaderError('malformed-response', message, { cause: error });
}

export const noError = 0;
export const refusedStream = 7;
export const cancel = 8;
export const http11Required = 13;

const meanings: readonly [name: string, meaning: string][] = [
  ['NO_ERROR', 'the server ended the stream before its response was complete'],
  [
    'PROTOCOL_ERROR',
    'one side sees the rules of HTTP/2 broken: the server does not speak HTTP/2 here (use another protocol), or one of the two has a fault',
  ],
  ['INTERNAL_ERROR', 'an error inside the server, or a field of over 64 KiB, which is not read'],
  ['FLOW_CONTROL_ERROR', 'more was sent than the flow-control window allows'],
  ['SETTINGS_TIMEOUT', 'settings were not acknowledged in time'],
  ['STREAM_CLOSED', 'a frame came for a stream that was already closed'],
  ['FRAME_SIZE_ERROR', 'a frame had a size that is not allowed'],
  ['REFUSED_STREAM', 'the server did not take this request'],
  ['CANCEL', 'the server gave this request up'],
  ['COMPRESSION_ERROR', 'header fields could not be decompressed'],
  ['CONNECT_ERROR', 'the connection behind a CONNECT request broke off'],
  ['ENHANCE_YOUR_CALM', 'the server finds the load too high: send fewer requests at a time'],
  ['INADEQUATE_SECURITY', 'the server wants better TLS: check its TLS settings'],
  ['HTTP_1_1_REQUIRED', 'the server wants HTTP/1.1 for this request: use another protocol'],
];

/** Explains an error code of HTTP/2 (RFC 9113 7), as in RST_STREAM and GOAWAY, in one sentence. */
export function http2Error(code: number, cause: unknown): LoaderError {
  const [name, meaning] = meanings[code] ?? [`code ${code}`, 'a code that HTTP/2 does not define'];
  const kind = code === http11Required ? 'protocol-unavailable' : 'connection-lost';
  return new LoaderError(kind, `HTTP/2: ${name}, ${meaning}`, { cause });
}
