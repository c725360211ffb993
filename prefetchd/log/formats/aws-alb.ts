// AWS Application Load Balancer access logs:
//   type time elb client:port target:port t t t elb_status target_status received sent "request"
//   "user_agent" ssl_cipher ssl_protocol target_group "trace" "domain" ... and fields added later.
// The URL is absolute, and `sent` includes the response header. The three t are the seconds spent on the request, at
// the target and on the response; -1 if that stage was not reached.

import { emptyLine, type LogFormat, type ParsedLine, shareRead } from '../log-format.ts';
import { splitFields } from './directive-fields.ts';
import { secondsMs } from './duration.ts';
import { isoTimeMs } from './log-time.ts';
import { closingQuote, fieldEnd, quotedText, readRequest } from './quoted.ts';

export const awsAlb: LogFormat = {
  name: 'aws-alb',
  manySites: false,
  detect: (lines) => shareRead({ parse }, lines),
  createParser: () => ({ parse }),
};

function parse(line: string): ParsedLine {
  if (line === '') return undefined;
  const request = line.indexOf(' "');
  if (request === -1) return 'no "request"';
  const fields = splitFields(line.slice(0, request), ' ', 13);
  const [, time = '', , client = '', , , , , status = '', , , sent = '', more] = fields;
  if (sent === '' || more !== undefined) return 'not 12 fields before the "request"';
  const read = emptyLine();
  read.timeMs = isoTimeMs(time);
  if (Number.isNaN(read.timeMs)) return 'time cannot be read';
  if (!/^(?:\d{3}|-)$/.test(status)) return 'elb_status_code is not a status';
  const end = closingQuote(line, request + 2);
  if (end === -1) return '"request" is not closed';
  readRequest(line, request + 2, end, read);
  read.address = withoutPort(client);
  read.status = status === '-' ? 0 : Number(status);
  read.bytes = /^\d{1,15}$/.test(sent) ? Number(sent) : 0;
  read.durationMs = sumOf(fields.slice(5, 8).map(secondsMs));
  if (line.startsWith(' "', end + 1)) {
    const agentEnd = fieldEnd(line, end + 3);
    if (agentEnd === -1) return '"user_agent" is not closed';
    read.userAgent = quotedText(line, end + 3, agentEnd);
  }
  return read;
}

/** Undefined if any value is. */
function sumOf(values: ReadonlyArray<number | undefined>): number | undefined {
  let sum = 0;
  for (const value of values) {
    if (value === undefined) return undefined;
    sum += value;
  }
  return sum;
}

/** `192.0.2.1:2817`, `2001:db8::1:2817`, `[2001:db8::1]:2817`. */
function withoutPort(client: string): string {
  const colon = client.lastIndexOf(':');
  const address = colon === -1 ? client : client.slice(0, colon);
  return address.startsWith('[') && address.endsWith(']') ? address.slice(1, -1) : address;
}
