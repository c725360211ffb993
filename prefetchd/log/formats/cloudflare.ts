// Cloudflare Logpush, dataset http_requests: one JSON object per line with the fields that the job names. Timestamps
// are RFC 3339, or seconds, milliseconds or nanoseconds since the epoch. Header fields are logged where the job has
// them as custom fields. Requests made by Workers are not a visitor's.

import { emptyLine, type LogFormat, type ParsedLine } from '../log-format.ts';
import { plainMs } from './duration.ts';
import {
  bytesOf,
  type JsonObject,
  ownValue,
  parseJsonLine,
  statusOf,
  textOf,
} from './json-line.ts';
import { anyEpochMs, isoTimeMs } from './log-time.ts';

export const cloudflare: LogFormat = {
  name: 'cloudflare',
  createParser: () => ({ parse }),
};

function parse(line: string): ParsedLine {
  if (line === '') return undefined;
  const object = parseJsonLine(line);
  if (typeof object === 'string') return object;
  const source = textOf(object, 'ClientRequestSource');
  if ((source ?? 'eyeball') !== 'eyeball' || ownValue(object, 'WorkerSubrequest') === true) {
    return undefined;
  }
  const read = emptyLine();
  const address = textOf(object, 'ClientIP');
  if (!address) return 'no ClientIP';
  read.address = address;
  const start = textOf(object, 'EdgeStartTimestamp') ?? '';
  read.timeMs = timeOf(start);
  if (Number.isNaN(read.timeMs)) return 'no EdgeStartTimestamp that can be read';
  read.status = statusOf(textOf(object, 'EdgeResponseStatus'));
  if (Number.isNaN(read.status)) return 'no EdgeResponseStatus';
  const url = textOf(object, 'ClientRequestURI', 'ClientRequestPath');
  if (url === undefined) return 'no ClientRequestURI or ClientRequestPath';
  read.url = url;
  read.method = textOf(object, 'ClientRequestMethod') ?? 'GET';
  read.host = textOf(object, 'ClientRequestHost') || undefined;
  read.secure = textOf(object, 'ClientRequestScheme') === 'https';
  read.bytes = bytesOf(textOf(object, 'EdgeResponseBytes'));
  read.userAgent = textOf(object, 'ClientRequestUserAgent');
  read.referer = textOf(object, 'ClientRequestReferer');
  read.contentType = textOf(object, 'EdgeResponseContentType') || undefined;
  const sent = ownValue(object, 'RequestHeaders');
  read.purpose = textOf(sent, 'sec-purpose', 'purpose', 'x-moz');
  read.fetchDestination = textOf(sent, 'sec-fetch-dest');
  read.durationMs = durationOf(object, start, read.timeMs);
  return read;
}

function timeOf(text: string): number {
  const timeMs = isoTimeMs(text);
  return Number.isNaN(timeMs) ? anyEpochMs(text) : timeMs;
}

/** Undefined for whole seconds, the default, which are too coarse. */
function durationOf(object: JsonObject, start: string, startMs: number): number | undefined {
  const end = textOf(object, 'EdgeEndTimestamp');
  if (end === undefined || !isFine(start) || !isFine(end)) return undefined;
  return plainMs(String(timeOf(end) - startMs));
}

function isFine(timestamp: string): boolean {
  return timestamp.includes('.') || /^\d{13,}$/.test(timestamp);
}
