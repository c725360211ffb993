// Traefik's `json` format. Header fields are logged only if `accesslog.fields.headers` keeps them, as
// `request_User-Agent` and `downstream_Content-Type`; names and defaults are those of Traefik 1.7 to 3. Durations are
// nanoseconds.

import { emptyLine, type LineParser, type LogFormat, type ParsedLine } from '../log-format.ts';
import { withoutPort } from './address.ts';
import { nanosecondsMs } from './duration.ts';
import { bytesOf, parseJsonLine, statusOf, textOf } from './json-line.ts';
import { isoTimeMs } from './log-time.ts';

export const traefikJson: LogFormat = {
  name: 'traefik-json',
  createParser,
};

function createParser(): LineParser {
  /** True once a line has a User-Agent: if others lack it, their client sent none. */
  const file = { hasAgents: false };
  return { parse: (line) => parse(line, file) };
}

function parse(line: string, file: { hasAgents: boolean }): ParsedLine {
  if (line === '') return undefined;
  const object = parseJsonLine(line);
  if (typeof object === 'string') return object;
  const address =
    textOf(object, 'ClientHost') ?? (withoutPort(textOf(object, 'ClientAddr') ?? '') || undefined);
  // Traefik's own events are in the same output if both logs go to standard output.
  if (
    address === undefined &&
    textOf(object, 'level') &&
    textOf(object, 'RequestMethod') === undefined
  )
    return undefined;
  if (!address) return 'no ClientHost';
  const read = emptyLine();
  // The field has X-Forwarded-For if that is trusted; its first address is the visitor's.
  read.address = (address.split(',', 1)[0] as string).trim();
  read.timeMs = isoTimeMs(textOf(object, 'StartUTC', 'StartLocal', 'time') ?? '');
  if (Number.isNaN(read.timeMs)) return 'StartUTC cannot be read';
  read.status = statusOf(textOf(object, 'DownstreamStatus', 'OriginStatus'));
  if (Number.isNaN(read.status)) return 'no DownstreamStatus';
  read.method = textOf(object, 'RequestMethod') ?? '';
  read.url = textOf(object, 'RequestPath') ?? '';
  read.host = textOf(object, 'RequestAddr', 'RequestHost') || undefined;
  read.secure =
    textOf(object, 'RequestScheme') === 'https' || textOf(object, 'TLSVersion') !== undefined;
  read.bytes = bytesOf(textOf(object, 'DownstreamContentSize', 'OriginContentSize'));
  const userAgent = textOf(object, 'request_User-Agent');
  file.hasAgents ||= userAgent !== undefined;
  read.userAgent = userAgent ?? (file.hasAgents ? '' : undefined);
  read.referer = textOf(object, 'request_Referer');
  read.purpose = textOf(object, 'request_Sec-Purpose', 'request_Purpose', 'request_X-Moz');
  read.fetchDestination = textOf(object, 'request_Sec-Fetch-Dest');
  read.contentType = textOf(object, 'downstream_Content-Type', 'origin_Content-Type');
  read.durationMs = nanosecondsMs(textOf(object, 'Duration'));
  return read;
}
