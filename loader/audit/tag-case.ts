// Finds tags in mixed case, which compress worse than in lower case, because compression compares bytes (Nielsen,
// Gettys et al. 1997, "Further Compression Experiments": 0.35 of the page against 0.27).

import { gzipSync } from 'node:zlib';
import { formatBytes } from '../report/units.ts';
import { type Finding, nothing } from './finding.ts';
import type { Subject } from './subject.ts';
import { isText } from './uncompressed-text.ts';

/** Least saving that is reported, as a share and in bytes. */
const leastSavedShare = 0.02;
const leastSavedBytes = 128;
const mostBytes = 4 * 1024 * 1024;

export function tagCase({ document }: Subject): Finding | null {
  if (document?.body == null || document.row.mimeType !== 'text/html' || !isText(document))
    return null;
  if (document.body.length > mostBytes) return null;
  const html = document.body.toString('latin1');
  const lower = withLowerCaseTags(html);
  if (lower === html) return null;
  const [now, then] = [
    gzipSync(document.body).length,
    gzipSync(Buffer.from(lower, 'latin1')).length,
  ];
  const bytes = now - then;
  if (bytes < leastSavedBytes || bytes < now * leastSavedShare) return null;
  const saves = { ...nothing, bytes };
  return {
    kind: 'tag-case',
    title: 'Tags are in mixed case',
    advice: 'Write names of elements and attributes in lower case.',
    how: 'the document compressed with gzip (level 6), as it is and with its tags in lower case',
    sure: 'measured',
    visit: 'first',
    saves,
    items: [
      {
        url: document.row.url,
        note: `gzip ${formatBytes(now)}; in lower case ${formatBytes(then)}`,
        saves,
      },
    ],
  };
}

/** Matches a comment, an element whose content is text, or the beginning of a tag. */
const piece = /<!--|<(script|style|textarea|title)\b|<\/?[a-z]/gi;
/** Matches a part of a tag: its name, an attribute's name, a value, or its end. */
const part = /<\/?[a-z][^\s/>]*|=\s*(?:"[^"]*"|'[^']*'|[^\s>"']*)|[^\s=>/"']+|[\s/"']+|>/giy;

/** Lowercases tags; values, text, comments, scripts and styles are not changed. */
export function withLowerCaseTags(html: string): string {
  let out = '';
  let at = 0;
  piece.lastIndex = 0;
  for (let found = piece.exec(html); found !== null; found = piece.exec(html)) {
    const start = found.index;
    out += html.slice(at, start);
    const tag = found[0] === '<!--' ? null : lowered(html, start);
    at = tag === null ? after(html, '-->', start) : start + tag.length;
    out += tag ?? html.slice(start, at);
    if (found[1] !== undefined) {
      const end = after(html, new RegExp(`</${found[1]}`, 'gi'), at);
      out += html.slice(at, end);
      at = end;
    }
    piece.lastIndex = at;
  }
  return out + html.slice(at);
}

function lowered(html: string, start: number): string {
  let tag = '';
  part.lastIndex = start;
  for (let found = part.exec(html); found !== null; found = part.exec(html)) {
    tag += found[0].startsWith('=') ? found[0] : found[0].toLowerCase();
    if (found[0] === '>') break;
  }
  return tag;
}

/** Index where an end tag begins (RegExp) or a mark ends (string); the end of the document if there is none. */
function after(html: string, end: string | RegExp, from: number): number {
  if (typeof end === 'string') {
    const at = html.indexOf(end, from);
    return at === -1 ? html.length : at + end.length;
  }
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}
