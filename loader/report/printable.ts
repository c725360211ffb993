// Text from the network, made safe to show. URLs, status texts and error messages are hostile
// input: an ANSI escape could rewrite the terminal, a bidi override could turn `gpj.exe` around,
// a wide or combining character would shift every column after it. So all of it becomes printable
// ASCII: a URL percent-encoded as it would be on the wire, other text with `\u{..}` for the rest.
//
// Guarantee: every result matches /^[\x20-\x7e]*$/ but for the ellipsis of a clip, so one character
// is one terminal column, and only & < > " ' are left for XML to escape.

/** `url` with everything but printable ASCII percent-encoded. */
export function printableUrl(url: string): string {
  return url.toWellFormed().replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character));
}

/** `text` on one line, with everything but printable ASCII as `\u{..}`. */
export function printableText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\t\r\n]+/g, ' ')
    .replace(/[^\x20-\x7e]/gu, (c) => `\\u{${c.codePointAt(0)?.toString(16)}}`)
    .trim();
}

/**
 * What a person calls the resource: its last path segment with the query, led by the host when
 * that is not the page's.
 */
export function shortName(url: string, pageUrl: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.host === '') return printableUrl(url);
  const { host, pathname, search } = parsed;
  const last = /[^/]+\/?$/.exec(pathname)?.[0] ?? '';
  const alone = last !== '' && host === URL.parse(pageUrl)?.host;
  return printableUrl(`${alone ? '' : `${host}/`}${last}${search}`);
}

/** At most `width` characters of `text`, the middle replaced by an ellipsis. */
export function clipMiddle(text: string, width: number): string {
  if (text.length <= width) return text;
  if (width < 2) return '\u2026'.slice(0, Math.max(0, width));
  const tail = Math.floor((width - 1) / 2);
  return `${text.slice(0, width - 1 - tail)}\u2026${tail === 0 ? '' : text.slice(-tail)}`;
}

/** Lines of at most `width` characters, broken at spaces, or inside a word longer than a line. */
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
