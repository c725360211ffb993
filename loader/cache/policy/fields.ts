// Header fields as a cache reads them: names in any case, several lines of one field as one list
// (RFC 9110 5.3), commas inside quotes no separators. Every function is linear in its input.

import type { HeaderPair } from '../../page-load.ts';

/** Values of a field, a line each, without white space around them. @param name in lower case. */
export function fieldLines(headers: readonly HeaderPair[], name: string): string[] {
  const lines: string[] = [];
  for (const [key, value] of headers) {
    if (key.length === name.length && key.toLowerCase() === name) lines.push(value.trim());
  }
  return lines;
}

/** The lines of a field joined; '' when it is absent. @param name in lower case. */
export function fieldValue(headers: readonly HeaderPair[], name: string): string {
  return fieldLines(headers, name).join(', ');
}

/** @param name in lower case. */
export function hasField(headers: readonly HeaderPair[], name: string): boolean {
  return headers.some(([key]) => key.toLowerCase() === name);
}

/** @param name as it is to be written; every other spelling of it goes. */
export function withField(
  headers: readonly HeaderPair[],
  name: string,
  value: string,
): HeaderPair[] {
  return [...withoutFields(headers, new Set([name.toLowerCase()])), [name, value]];
}

/** @param names in lower case. */
export function withoutFields(headers: readonly HeaderPair[], names: Set<string>): HeaderPair[] {
  return headers.filter(([key]) => !names.has(key.toLowerCase()));
}

export interface Members {
  /** In their order, without white space around them; no empty ones. */
  members: string[];
  /** A quote was opened and never closed; from there on quotes were taken as ordinary characters. */
  unclosedQuote: boolean;
}

/** Splits at separators that do not stand in a quoted string (RFC 9110 5.6.4). */
export function splitMembers(text: string, separators = ','): Members {
  const members: string[] = [];
  let unclosedQuote = false;
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const character = text.charAt(at);
    if (character === '"' && !unclosedQuote) {
      const end = endOfQuoted(text, at);
      if (end === -1) unclosedQuote = true;
      else at = end;
    } else if (character === '' || separators.includes(character)) {
      const member = text.slice(start, at).trim();
      if (member !== '') members.push(member);
      start = at + 1;
    }
  }
  return { members, unclosedQuote };
}

/** Where the quoted string that begins at `start` has its closing quote; -1: nowhere. */
function endOfQuoted(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return -1;
}

/** A token, or the text within a quoted string; null when quotes stand where none may. */
export function unquote(text: string): string | null {
  if (!text.includes('"')) return text;
  if (text[0] !== '"' || endOfQuoted(text, 0) !== text.length - 1) return null;
  return text.slice(1, -1).replace(/\\(.)/gs, '$1');
}

/** A comma-separated list of names, in lower case. */
export function nameList(text: string): string[] {
  return text
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
