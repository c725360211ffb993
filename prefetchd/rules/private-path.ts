// Decides by its path whether a URL belongs to one person, so that it is neither learned nor hinted, however many
// clients opened it. Even a reset link is opened from four addresses: a phone, a home, a mail scanner, a link preview.
//
//   e-mail, telephone   a segment contains one: /u/jane@example.org; not @jane, react@18.2.0, icon@2x.png
//   token               20 or more random characters: /reset/8f3a..., /files/<UUID> (opaque-text.ts)
//   one-time            a word of a link that works once, first in the path or before an id: /magic-link/a8Kd
//   personal            a place of the visitor, first in the path (/inbox, /my/plans), or a member of a collection
//                       (/order/8127, /share/a8Kd), or a person's own form (/profile/edit)
//   unclear             a shorter id (/watch/dQw4w9WgXcQ): hinted only on the evidence that pages with a query need
//
// A segment is also first in the path after a language (/en/), a folder of an application (/app/) or person (/u/jane/).
// An id has a digit and no word: 8127, INV-2024-17, a8Kd; a slug has words: /tickets/the-magic-flute-2024.
//
// In URLs of embedded files, names and folders are often hashes (/assets/app-BzQ3k9xT.js), which say nothing about a
// person. They are denied only for an e-mail address and a numbered folder of a collection (/messages/17/photo.jpg).

import type { AccessKind } from '../access.ts';
import { tokenIn } from './opaque-text.ts';
import { listed, wordsOf } from './url-words.ts';
import {
  beside,
  dialling,
  keyWords,
  oneTimeWords,
  owners,
  ownViews,
  possessions,
  prefixes,
  shareWords,
  views,
} from './words.ts';

export type PrivateReason = 'e-mail' | 'telephone' | 'token' | 'one-time' | 'personal';

export interface PrivatePart {
  reason: PrivateReason | 'unclear';
  /** Index of the first segment of the path that must not be shown. */
  from: number;
}

/** Returns the private part of a path; null if it has none. @param path decoded, without query */
export function privatePart(path: string, kind: AccessKind): PrivatePart | null {
  const segments = segmentsOf(path);
  const isFile = kind === 'object' && /\.[a-z0-9]{1,8}$/i.test(segments.at(-1) ?? '');
  return contactIn(segments) ?? (isFile ? numberedFolder(segments) : privatePage(segments));
}

/** Returns the segments of a path; `;` and `=` separate them, too: /page;jsessionid=1A2B. */
export function segmentsOf(path: string): string[] {
  return path.split(/[/\\;=]+/).filter((segment) => segment !== '');
}

function contactIn(segments: readonly string[]): PrivatePart | null {
  for (const [from, segment] of segments.entries()) {
    if (hasAddress(segment)) return { reason: 'e-mail', from };
    if (isTelephone(segment, segments[from - 1] ?? '')) return { reason: 'telephone', from };
    // ASP.NET without cookies keeps the session id in a segment: /(S(lit3py55))/page.
    if (/^\((?:[A-Z]\([^()]*\))+\)$/.test(segment)) return { reason: 'token', from };
  }
  return null;
}

/** Returns whether a segment is a telephone number: with country code, in US form, or after a word for calling. */
function isTelephone(segment: string, before: string): boolean {
  const number = segment.replace(/^tel:/i, '');
  const isWritten = /^\+?[\d\s().-]{7,24}$/.test(number) && /(?:\d[^\d]*){7}/.test(number);
  if (!isWritten) return false;
  return (
    /^\+\d|^\(?\d{3}\)?[\s.-]\d{3}[\s.-]\d{4}$/.test(number) ||
    number !== segment ||
    dialling.has(before.toLowerCase())
  );
}

/** Returns whether a segment has an e-mail address, also `jane--at--site.example`; not for `react@18.2.0`,
 *  `icon@2x.png`, `@jane@a.example`. */
function hasAddress(segment: string): boolean {
  if (segment.startsWith('@')) return false;
  const pieces = segment.split(/@|--at--|[([]at[)\]]/);
  return pieces.some((host, index) => {
    const name = index === 0 ? '' : pieces[index - 1];
    if (!/[^\s(]$/.test(name ?? '') || /^(?:v?\d+\.\d|\d(?:\.\d)?x\.)/i.test(host)) return false;
    return /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/u.test(host);
  });
}

function numberedFolder(segments: readonly string[]): PrivatePart | null {
  const from = segments.findIndex((segment, index) => {
    const isFolder = index > 0 && index < segments.length - 1;
    return isFolder && /^\d+$/.test(segment) && isCollection(readingOf(segments[index - 1] ?? ''));
  });
  return from === -1 ? null : { reason: 'personal', from };
}

function privatePage(segments: readonly string[]): PrivatePart | null {
  const tokens = segments.map(tokenIn);
  const readings = segments.map(readingOf);
  const longToken = tokens.indexOf('long');
  if (longToken !== -1) return { reason: 'token', from: longToken };
  const heads = headsOf(readings);
  for (const [index, reading] of readings.entries()) {
    const { word } = reading;
    const next = segments[index + 1];
    const from = index + 1;
    const hasId = next !== undefined && (tokens[from] !== null || isId(next));
    const isHead = heads.includes(index);
    if (oneTimeWords.has(word) && (isHead || hasId)) return { reason: 'one-time', from };
    const isPersonal =
      (isHead && (listed('mine').has(word) || isMine(reading))) ||
      (isHead && next === undefined && listed('self').has(word)) ||
      (hasId && (isCollection(reading) || shareWords.has(word))) ||
      (tokens[from] === 'short' && keyWords.has(word)) ||
      (isCollection(reading) && views.has(readings[from]?.word ?? '')) ||
      (owners.has(word) && isHead && ownViews.has(readings[from]?.word ?? '')) ||
      (next !== undefined && readings[from]?.word === 'edit' && isId(segments[index] ?? ''));
    if (isPersonal) return { reason: 'personal', from };
    if (isCollection(reading) && isNumbered(segments[index] ?? '')) {
      return { reason: 'personal', from: index };
    }
  }
  const unclear = tokens.indexOf('short');
  return unclear === -1 ? null : { reason: 'unclear', from: unclear };
}

interface SegmentReading {
  /** All words of the segment joined; '' if there are more than four. */
  word: string;
  words: readonly string[];
}

const isListed = (word: string) =>
  [oneTimeWords, listed('mine'), listed('records'), shareWords].some((words) => words.has(word));

const camelCase = /\p{Ll}(?=\p{Lu}\p{Ll})/gu;

function readingOf(segment: string): SegmentReading {
  const bare = segment.replace(/\.[a-z]{1,5}\d?$/i, '');
  const text = bare === bare.toLowerCase() ? bare : bare.replace(camelCase, '$& ');
  const words = wordsOf(text, isListed);
  return { word: words.length > 4 ? '' : words.join(''), words };
}

function isCollection({ word, words }: SegmentReading): boolean {
  const records = listed('records');
  if (records.has(word)) return true;
  const [one = '', other = '', ...more] = words;
  if (more.length > 0) return false;
  return (records.has(one) && beside.has(other)) || (records.has(other) && beside.has(one));
}

function isMine({ words: [one = '', ...more] }: SegmentReading): boolean {
  const thing = more.join('');
  if (more.length === 0 || more.length > 3 || !listed('my').has(one)) return false;
  return possessions.has(thing) || thingLists.some((list) => listed(list).has(thing));
}

const thingLists = ['records', 'mine', 'self', 'alone'] as const;

/** Returns the indexes of the segments that may be first in the path once folders that say nothing, such as a language,
 *  are ignored. */
function headsOf(readings: readonly SegmentReading[]): number[] {
  let at = 0;
  while (at < readings.length - 1 && isPrefix(readings[at] as SegmentReading)) at++;
  return owners.has(readings[at]?.word ?? '') ? [at, at + 1, at + 2] : [at];
}

/** Returns whether a segment at the start of a path is ignored, such as a language. `my` and `me` are not: they rarely
 *  are languages or countries. */
function isPrefix({ word, words }: SegmentReading): boolean {
  if (word === 'my' || word === 'me' || word === 's' || word === 'f') return false;
  const isLanguage = /^[a-z]{2}$/.test(word) || (words.length === 2 && /^[a-z]{4}$/.test(word));
  return isLanguage || prefixes.has(word) || words.length === 0;
}

/** Returns whether the segment has a digit and no more letters than an abbreviation has: 8127, INV-2024-17. */
function isId(segment: string): boolean {
  const bare = segment.replace(/\.[a-z]{1,5}$/i, '');
  const isAbbreviated = !/\p{L}{5}/u.test(bare) && (bare.match(/\p{L}+/gu) ?? []).length <= 2;
  return /\d/.test(bare) && isAbbreviated && bare.length <= 40;
}

/** Returns whether the segment has a number of three digits or more that is no year: order-8127, not tickets-2024. */
function isNumbered(segment: string): boolean {
  return (segment.match(/\d+/g) ?? []).some(
    (number) => number.length >= 3 && !/^(?:19|20)\d\d$/.test(number),
  );
}
