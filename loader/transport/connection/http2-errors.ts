// What the error codes of HTTP/2 mean (RFC 9113 7), one sentence each: RST_STREAM and GOAWAY carry them.

import { LoaderError } from '../../errors.ts';

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

export function http2Error(code: number, cause: unknown): LoaderError {
  const [name, meaning] = meanings[code] ?? [`code ${code}`, 'a code that HTTP/2 does not define'];
  const kind = code === http11Required ? 'protocol-unavailable' : 'connection-lost';
  return new LoaderError(kind, `HTTP/2: ${name}, ${meaning}`, { cause });
}
