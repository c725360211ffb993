// Squid's native access.log: seconds.ms elapsed-ms client action/status bytes method URL ident hierarchy type, padded
// with spaces. A proxy serves many sites, so URLs are absolute. There is no user agent.

import { emptyLine, type LogFormat, type ParsedLine } from '../log-format.ts';
import { plainMs } from './duration.ts';
import { epochSecondsMs } from './log-time.ts';

export const squid: LogFormat = {
  name: 'squid',
  manySites: true,
  createParser: () => ({ parse }),
};

function parse(line: string): ParsedLine {
  if (line === '') return undefined;
  const fields = words(line, 10);
  const [time = '', elapsed, client = '', result = '', bytes = '', method = '', url = ''] = fields;
  if (url === '') return 'fewer than 7 fields';
  const read = emptyLine();
  read.timeMs = epochSecondsMs(time);
  if (Number.isNaN(read.timeMs)) return 'time cannot be read';
  const status = /^[A-Z_]+\/(\d{3})$/.exec(result)?.[1];
  if (status === undefined) return 'no action/status';
  if (!/^\d{1,15}$/.test(bytes)) return 'bytes is not a number';
  read.address = client;
  read.status = Number(status);
  read.bytes = Number(bytes);
  read.method = method;
  read.url = url;
  read.durationMs = plainMs(elapsed);
  const contentType = fields[9];
  read.contentType = contentType === '-' ? undefined : contentType;
  return read;
}

/** At most `most` words, separated by any number of spaces. */
function words(line: string, most: number): string[] {
  const found: string[] = [];
  let at = 0;
  while (found.length < most) {
    while (line.charCodeAt(at) === 0x20) at++;
    if (at >= line.length) break;
    const space = line.indexOf(' ', at);
    const end = space === -1 ? line.length : space;
    found.push(line.slice(at, end));
    at = end;
  }
  return found;
}
