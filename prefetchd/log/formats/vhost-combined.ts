// Apache `vhost_combined` (Debian's other_vhosts_access.log): host:port, then a combined line. The second word
// distinguishes it from combined: an address here, `-` (ident) there.

import { emptyLine, type LogFormat, type ParsedLine, shareRead } from '../log-format.ts';
import { readCombined } from './combined.ts';

export const vhostCombined: LogFormat = {
  name: 'vhost-combined',
  manySites: true,
  detect: (lines) => shareRead({ parse }, lines),
  createParser: () => ({ parse }),
};

function parse(line: string): ParsedLine {
  if (line === '') return undefined;
  const space = line.indexOf(' ');
  if (space <= 0) return 'no virtual host';
  if (!startsAddress(line, space + 1)) return 'no client address after the virtual host';
  const read = emptyLine();
  const refused = readCombined(line, space + 1, read);
  if (refused !== undefined) return refused;
  const host = line.slice(0, space);
  read.secure = host.endsWith(':443');
  read.host = read.secure ? host.slice(0, -4) : host.endsWith(':80') ? host.slice(0, -3) : host;
  return read;
}

/** True if the word contains a dot or colon, as an address or host name does, unlike the `-` of ident. */
function startsAddress(line: string, from: number): boolean {
  for (let at = from; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if (code === 0x20) return false;
    if (code === 0x2e || code === 0x3a) return true;
  }
  return false;
}
