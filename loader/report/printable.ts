// Makes text from the network safe to show. URLs, status texts and error messages are untrusted: an ANSI escape
// could rewrite the terminal, a bidi override could disguise `gpj.exe`, a wide or combining character would shift
// the columns after it. All of it becomes printable ASCII: URLs are percent-encoded as on the wire, other text uses
// `\u{..}`.
//
// Guarantee: every result matches /^[\x20-\x7e]*$/ except for the ellipsis of a clip, so one character is one
// terminal column, and XML needs escapes for & < > " ' only. `inert` is for complete output: it is the last step before
// the output leaves the process.

/** Returns `url` with everything but printable ASCII percent-encoded. */
export function printableUrl(url: string): string {
  return url.toWellFormed().replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character));
}

/** Returns `text` on one line, with everything but printable ASCII as `\u{..}`. */
export function printableText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\t\r\n]+/g, ' ')
    .replace(/[^\x20-\x7e]/gu, (c) => `\\u{${c.codePointAt(0)?.toString(16)}}`)
    .trim();
}

// Matches SGR (colours); C0 except tab and line feed, DEL and C1; marks that change the direction or end a line.
const controls =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this pattern finds control characters
  /\x1b\[[\d;]*m|[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
// Matches what a CI system may read as a command: GitHub a line that begins with `::` after white space; GitHub, Azure
// and TeamCity `##[`, `##vso[` or `##teamcity[` anywhere.
// biome-ignore lint/suspicious/noControlCharactersInRegex: escapes of colours may precede text
const orders = /^((?:\s|\x1b\[[\d;]*m)*):(?=:)|#(?=#\w*\[)/gm;

/**
 * Makes output that neither a terminal nor a CI system executes: the characters of commands become `\u0023` and the
 * like, so that JSON stays JSON with the same value.
 * @param color Whether colours are kept.
 */
export function inert(text: string, { color }: { color: boolean }): string {
  return text
    .replace(controls, (found) => (color && found.length > 1 ? found : escaped(found)))
    .replace(orders, (found, before = '') => `${before}${escaped(found.slice(before.length))}`);
}

function escaped(text: string): string {
  const [first = '', ...others] = text;
  const code = first.charCodeAt(0).toString(16).padStart(4, '0');
  return `\\u${code}${others.join('')}`;
}

/** Returns a URL's short name: the last path segment with the query, after the host if it differs from the page's. */
export function shortName(url: string, pageUrl: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.host === '') return printableUrl(url);
  const { host, pathname, search } = parsed;
  const last = /[^/]+\/?$/.exec(pathname)?.[0] ?? '';
  const alone = last !== '' && host === URL.parse(pageUrl)?.host;
  return printableUrl(`${alone ? '' : `${host}/`}${last}${search}`);
}

/** Returns at most `width` characters of `text`, with an ellipsis in the middle. */
export function clipMiddle(text: string, width: number): string {
  if (text.length <= width) return text;
  if (width < 2) return '\u2026'.slice(0, Math.max(0, width));
  const tail = Math.floor((width - 1) / 2);
  return `${text.slice(0, width - 1 - tail)}\u2026${tail === 0 ? '' : text.slice(-tail)}`;
}

/** Breaks a text into lines of at most `width` characters, at spaces, or within a word longer than a line. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (let word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    while (word.length > width) {
      lines.push(word.slice(0, width));
      word = word.slice(width);
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  if (line !== '') lines.push(line);
  return lines;
}
