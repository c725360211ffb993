// Caddy 2's access log: one JSON object per line, msg "handled request", with the request and its headers (lists of
// values); or, in its format `console`, time, level, logger and message with tabs between, then the object. Other
// events in the same log are not accesses.

import { emptyLine, type LogFormat, type ParsedLine } from '../log-format.ts';
import { withoutPort } from './address.ts';
import { goMs, secondsMs } from './duration.ts';
import { bytesOf, ownValue, parseJsonLine, statusOf, textOf } from './json-line.ts';
import { commonTimeMs, epochSecondsMs, isoTimeMs } from './log-time.ts';

export const caddyJson: LogFormat = {
  name: 'caddy-json',
  createParser: () => ({ parse }),
};

function parse(line: string): ParsedLine {
  if (line === '') return undefined;
  const start = line.charCodeAt(0) === 0x7b ? 0 : line.indexOf('\t{') + 1;
  if (start === 0 && /^\d{4}\/\d\d\/\d\d [\d:.]+\t/.test(line)) return undefined;
  const object = parseJsonLine(line.slice(start));
  if (typeof object === 'string') return object;
  const request = ownValue(object, 'request');
  if (typeof request !== 'object' || request === null) {
    return ownValue(object, 'logger') === undefined && start === 0 ? 'no request' : undefined;
  }
  const read = emptyLine();
  const address =
    // Versions before 2.5 log `127.0.0.1:41342`.
    textOf(request, 'client_ip', 'remote_ip') ?? withoutPort(textOf(request, 'remote_addr') ?? '');
  if (!address) return 'no client_ip or remote_ip';
  read.address = address;
  read.timeMs = timeOf(
    start === 0
      ? (textOf(object, 'ts') ?? '')
      : line.slice(0, line.indexOf('\t')).replaceAll('/', '-'),
  );
  if (Number.isNaN(read.timeMs)) return 'ts cannot be read';
  read.status = statusOf(textOf(object, 'status'));
  if (Number.isNaN(read.status)) return 'no status';
  read.method = textOf(request, 'method') ?? '';
  read.url = textOf(request, 'uri') ?? '';
  read.host = textOf(request, 'host') || undefined;
  read.secure = typeof ownValue(request, 'tls') === 'object';
  read.bytes = bytesOf(textOf(object, 'size'));
  const headers = ownValue(request, 'headers');
  if (headers !== undefined) {
    read.userAgent = header(headers, 'User-Agent') ?? '';
    read.referer = header(headers, 'Referer') ?? '';
    read.purpose =
      header(headers, 'Sec-Purpose') ?? header(headers, 'Purpose') ?? header(headers, 'X-Moz');
    read.fetchDestination = header(headers, 'Sec-Fetch-Dest');
  }
  read.contentType = header(ownValue(object, 'resp_headers'), 'Content-Type');
  read.durationMs = durationOf(textOf(object, 'duration'));
  return read;
}

/** Caddy logs seconds by default, and text with units with `duration_format string`. */
function durationOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : (secondsMs(text) ?? goMs(text));
}

/** `1646861401.5241024`, or text according to `time_format`. */
function timeOf(text: string): number {
  for (const reader of [isoTimeMs, (value: string) => commonTimeMs(value, 0), epochSecondsMs]) {
    const timeMs = reader(text);
    if (!Number.isNaN(timeMs)) return timeMs;
  }
  return Number.NaN;
}

function header(headers: unknown, name: string): string | undefined {
  const values = ownValue(headers, name) ?? ownValue(headers, name.toLowerCase());
  const first: unknown = Array.isArray(values) ? values[0] : values;
  return typeof first === 'string' ? first : undefined;
}
