// Traefik's `common` format: a combined line, then
//   number-of-the-request "router" "server URL" 12ms
// The client is `ClientHost`: where X-Forwarded-For is trusted, its whole list, whose first address is the visitor.

import { emptyLine, type LogFormat, type ParsedLine, shareRead } from '../log-format.ts';
import { readCombined } from './combined.ts';
import { plainMs } from './duration.ts';

export const traefik: LogFormat = {
  name: 'traefik',
  manySites: false,
  detect: (lines) => shareRead({ parse }, lines),
  createParser: () => ({ parse }),
};

/** Longest text after a combined line that is examined. */
const longestTail = 2048;
const tail = / (?:\d{1,19}|-) (?:"[^"]*"|-) (?:"[^"]*"|-) (\d{1,12})ms$/;

function parse(line: string): ParsedLine {
  if (line === '') return undefined;
  const found = tail.exec(line.slice(-longestTail));
  if (found === null) return 'no router, server and duration at the end';
  const read = emptyLine();
  const start = afterForwarded(line);
  const refused = readCombined(line.slice(0, line.length - found[0].length), start.at, read);
  if (refused !== undefined) return refused;
  if (start.first !== '') read.address = start.first;
  read.durationMs = plainMs(found[1]);
  return read;
}

const longestForwarded = 1024;

/** `192.0.2.1, 10.0.0.1 - - [`: the first address, and where the last one begins. */
function afterForwarded(line: string): { first: string; at: number } {
  const list = line.slice(0, longestForwarded);
  const end = list.indexOf(' - ');
  const comma = end === -1 ? -1 : list.lastIndexOf(', ', end);
  if (comma === -1) return { first: '', at: 0 };
  return { first: list.slice(0, list.indexOf(',')).trim(), at: comma + 2 };
}
