// The media type of a message. Some servers and proxies send Content-Type twice, as two lines or as one list: the last
// valid type counts, as in browsers (Fetch Standard, "extract a MIME type").

import { MIMEType } from 'node:util';
import { splitMembers } from './field-syntax.ts';
import { fieldValue, type HeaderPair } from './header-pairs.ts';

/** Media types that are read as pages; '' stands for a response without a type. */
export const htmlTypes = new Set(['', 'text/html', 'application/xhtml+xml']);

/** Returns the media type with its parameters, as a browser writes it; '' if there is no valid one. */
export function mediaType(headers: readonly HeaderPair[]): string {
  let found: MIMEType | null = null;
  for (const member of splitMembers(fieldValue(headers, 'content-type')).members) {
    const type = parsed(member);
    if (type === null || type.essence === '*/*') continue;
    const charset = found?.essence === type.essence ? found.params.get('charset') : null;
    if (charset && !type.params.has('charset')) type.params.set('charset', charset);
    found = type;
  }
  return found?.toString() ?? '';
}

function parsed(text: string): MIMEType | null {
  try {
    return new MIMEType(text);
  } catch {
    return null;
  }
}
