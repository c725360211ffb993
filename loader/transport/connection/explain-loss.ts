// Turns errors of undici or the system at the end of a connection or response into errors with useful messages.

import { LoaderError, type LoaderErrorCode } from '../../errors.ts';
import { explainTlsFailure } from '../connect/connect-faults.ts';
import type { Exchange } from '../exchange.ts';

const http2Hint =
  'the server does not speak HTTP/2 here (use another protocol), or sent a field of over 64 KiB';

/**
 * Returns an error that says why a connection or a response ended early.
 * @param exchange The exchange that was waiting for a response at that time; null: none was.
 */
export function explainLoss(
  error: Error & { code?: string },
  exchange: Exchange | null,
): LoaderError {
  if (error instanceof LoaderError) return error;
  const { code = '', message } = error;
  const failed = (kind: LoaderErrorCode, sentence: string) =>
    new LoaderError(kind, sentence, { cause: error });
  const invalid = (fault: string) =>
    failed('malformed-response', `not a valid HTTP response: ${fault}`);
  const { url: origin, attempt, leads } = exchange ?? {};
  const hasHead = attempt !== undefined && attempt.head !== null;
  const isFirst = exchange !== null && attempt?.pipelineIndex === 0 && !hasHead;
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return failed('headers-too-large', 'header section over the limit');
  }
  if (code.startsWith('ERR_SSL_') && origin !== undefined) {
    // In TLS 1.3 a server may reject the client's certificate after the handshake has succeeded (RFC 8446 4.4.2.4).
    const offered = { offered: 'either', certificate: null, nowMs: Date.now() } as const;
    return explainTlsFailure(error, { origin, ...offered });
  }
  if (isFirst && message.includes('Expected HTTP/')) {
    // A record that begins with the bytes 0x15 and 0x03 is a TLS alert (RFC 8446 5.1).
    const isTls = String((error as { data?: unknown }).data ?? '').startsWith('\x15\x03');
    const tls = `it speaks TLS: use https://${origin?.host}/`;
    return invalid(
      `no status line; ${isTls ? tls : 'if it speaks HTTP/2 without TLS, use protocol h2'}`,
    );
  }
  if (code === 'REFUSED_STREAM') return failed('connection-lost', message);
  if (code === 'ERR_HTTP2_SESSION_ERROR') {
    return http2Error(Number(/\d+$/.exec(message)?.[0]), error);
  }
  if (code.startsWith('ERR_HTTP2')) {
    return failed('connection-lost', `HTTP/2: ${message}${isFirst ? `; ${http2Hint}` : ''}`);
  }
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError') return invalid(message);
  if (message === 'bad response' || message === 'bad upgrade') {
    return failed('malformed-response', 'a response that was not requested');
  }
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && !hasHead) {
    return invalid('its Content-Length is not a number, or ambiguous');
  }
  const isHttp2 = attempt?.connection?.httpVersion === 'h2';
  if (isHttp2 && !hasHead) {
    return failed('connection-lost', 'HTTP/2: the server closed the stream');
  }
  const isReset = code === 'ECONNRESET' || code === 'EPIPE';
  const closed = isHttp2 ? 'HTTP/2 stream closed' : 'connection closed';
  const how = isReset ? `connection reset (${code})` : closed;
  if (attempt === undefined || !hasHead) {
    const mayBeTls = origin?.protocol === 'http:' && leads === true && isFirst;
    const hint = mayBeTls ? `; if it speaks TLS, use https://${origin?.host}/` : '';
    return failed('connection-lost', `${how} before the response${hint}`);
  }
  const { received, expected } = attempt;
  if (expected !== null && received !== expected) {
    return failed('length-mismatch', `${how} after ${received} of ${expected} bytes`);
  }
  return failed('connection-lost', `${how} inside the body, after ${received} bytes`);
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
