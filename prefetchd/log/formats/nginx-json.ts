// nginx with a JSON log_format, or Apache with a JSON LogFormat, one object per line. Sites choose the names; the names
// of nginx's variables ($remote_addr, $request_uri, ...) and common short forms are recognised. A duration counts only
// under a name that implies its unit: $request_time is in seconds, duration_us is Apache's %D.

import { emptyLine, type LogFormat, type ParsedLine } from '../log-format.ts';
import { addressIn } from './address.ts';
import { microsecondsMs, plainMs, secondsMs } from './duration.ts';
import { bytesOf, type JsonObject, parseJsonLine, statusOf, textOf } from './json-line.ts';
import { commonTimeMs, epochSecondsMs, isoTimeMs } from './log-time.ts';
import { readRequest } from './quoted.ts';

export const nginxJson: LogFormat = {
  name: 'nginx-json',
  createParser: () => ({ parse }),
};

function parse(line: string): ParsedLine {
  if (line === '') return undefined;
  const object = parseJsonLine(line);
  if (typeof object === 'string') return object;
  const read = emptyLine();
  const forwarded = textOf(object, 'http_x_forwarded_for', 'x_forwarded_for', 'xff') ?? '';
  const connection = textOf(
    object,
    'remote_addr',
    'client_ip',
    'remote_ip',
    'clientip',
    'remoteIP',
    'client',
    'ip',
  );
  const address = addressIn(forwarded) ?? connection;
  if (!address) return 'no remote_addr';
  read.address = address;
  read.timeMs = timeOf(object);
  if (Number.isNaN(read.timeMs)) return 'no time_iso8601, time_local or msec that can be read';
  read.status = statusOf(textOf(object, 'status', 'response', 'status_code'));
  if (Number.isNaN(read.status)) return 'no status';
  const request = textOf(object, 'request');
  if (request !== undefined) readRequest(request, 0, request.length, read);
  read.method = textOf(object, 'request_method', 'method', 'verb') ?? read.method;
  read.url = textOf(object, 'request_uri', 'uri', 'url', 'path') ?? read.url;
  const query = textOf(object, 'args', 'query_string', 'query')?.replace(/^\?/, '');
  if (query && !read.url.includes('?')) read.url += `?${query}`;
  if (read.method === '' && request === undefined) return 'no request or request_method';
  read.bytes = bytesOf(textOf(object, 'body_bytes_sent', 'bytes_sent', 'bytes', 'size'));
  read.host = textOf(object, 'http_host', 'host', 'server_name', 'vhost') || undefined;
  read.secure = textOf(object, 'scheme') === 'https' || textOf(object, 'https') === 'on';
  read.userAgent = sent(textOf(object, 'http_user_agent', 'user_agent', 'userAgent', 'agent'));
  read.referer = sent(textOf(object, 'http_referer', 'http_referrer', 'referer', 'referrer'));
  read.purpose =
    sent(textOf(object, 'http_sec_purpose', 'sec_purpose', 'Sec-Purpose')) ||
    sent(textOf(object, 'http_purpose', 'purpose')) ||
    sent(textOf(object, 'http_x_moz', 'x_moz')) ||
    undefined;
  read.fetchDestination =
    sent(textOf(object, 'http_sec_fetch_dest', 'sec_fetch_dest', 'Sec-Fetch-Dest')) || undefined;
  read.contentType =
    sent(textOf(object, 'sent_http_content_type', 'content_type', 'Content-Type')) || undefined;
  read.robotsTag =
    sent(textOf(object, 'sent_http_x_robots_tag', 'robots', 'X-Robots-Tag')) || undefined;
  read.durationMs =
    secondsMs(textOf(object, 'request_time', 'duration_s')) ??
    plainMs(textOf(object, 'request_time_ms', 'duration_ms')) ??
    microsecondsMs(textOf(object, 'request_time_us', 'duration_us'));
  return read;
}

/** nginx writes `-` for a header that was not sent. */
function sent(text: string | undefined): string | undefined {
  return text === '-' ? '' : text;
}

function timeOf(object: JsonObject): number {
  for (const name of [
    'msec',
    'time_iso8601',
    'time_local',
    '@timestamp',
    'timestamp',
    'time',
    'ts',
  ]) {
    const text = textOf(object, name);
    if (text === undefined) continue;
    const readers = [isoTimeMs, (value: string) => commonTimeMs(value, 0), epochSecondsMs];
    for (const reader of readers) {
      const timeMs = reader(text);
      if (!Number.isNaN(timeMs)) return timeMs;
    }
  }
  return Number.NaN;
}
