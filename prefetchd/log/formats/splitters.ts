// Finds the fields of a line, by number from 1 or by name.

import { splitFields } from './directive-fields.ts';
import type { FieldMap } from './field-map.ts';
import { type JsonObject, ownValue, parseJsonLine } from './json-line.ts';
import { fieldEnd } from './quoted.ts';

/** The text of the field at a place; undefined if the line has none. */
export type Values = (place: string) => string | undefined;
/** Returns a text if the line cannot be read, which says why; undefined if the line is not meant as an access. */
export type Splitter = (line: string) => Values | string | undefined;

const mostColumns = 1000;

const numbered =
  (fields: readonly string[]): Values =>
  (place) =>
    fields[Number(place) - 1];

/** Words separated by spaces; text in quotes or brackets is one word, without these. */
export const splitWords: Splitter = (line) => numbered(wordsIn(line));

export function wordsIn(line: string): string[] {
  const words: string[] = [];
  for (let at = 0; at < line.length && words.length < mostWords; ) {
    const first = line.charCodeAt(at);
    if (first === 0x20) {
      at++;
      continue;
    }
    const close =
      first === 0x22 ? fieldEnd(line, at + 1) : first === 0x5b ? bracketEnd(line, at) : -1;
    if (close !== -1) words.push(line.slice(at + 1, close));
    const space = close === -1 ? line.indexOf(' ', at) : close + 1;
    const end = space === -1 ? line.length : space;
    if (close === -1) words.push(line.slice(at, end));
    at = end;
  }
  return words;
}

/** End of `[time]`; -1 if more text follows, as after the brackets of an IPv6 address. */
function bracketEnd(line: string, from: number): number {
  const close = line.indexOf(']', from);
  return close + 1 === line.length || line.charCodeAt(close + 1) === 0x20 ? close : -1;
}

const mostWords = 64;

/** CSV (RFC 4180), also with spaces around unquoted values. */
export const splitCommas: Splitter = (line) => numbered(commasIn(line));

export function commasIn(line: string): string[] {
  return splitFields(line, ',', mostColumns).map((field) => field.trim());
}

/** `label:value`, separated by tabs (ltsv.org). */
export const splitLabels: Splitter = (line) => {
  const fields = new Map<string, string>();
  for (const field of line.split('\t')) {
    const colon = field.indexOf(':');
    if (colon > 0) fields.set(field.slice(0, colon), field.slice(colon + 1));
  }
  return (place) => fields.get(place);
};

/** `name=value name="value"`. */
export function logfmtIn(line: string): Map<string, string> {
  const found = line.slice(0, longestLogfmt).matchAll(/([\w-]{1,64})=(?:"([^"]*)"|([^\s"]*))/g);
  return new Map(Array.from(found, ([, name = '', quoted, bare = '']) => [name, quoted ?? bare]));
}

const longestLogfmt = 16_384;

export const splitJson: Splitter = (line) => {
  const object = parseJsonLine(line);
  return typeof object === 'string' ? object : (place) => shownValue(valueAt(object, place));
};

/** A name with dots may itself be the name of a property. */
function valueAt(object: JsonObject, path: string): unknown {
  let inner: unknown = object;
  let rest = path;
  for (;;) {
    const whole = ownValue(inner, rest);
    const dot = rest.indexOf('.');
    if (whole !== undefined || dot === -1) return whole;
    inner = ownValue(inner, rest.slice(0, dot));
    rest = rest.slice(dot + 1);
  }
}

/** The first value of a list, such as the values of a header field. */
function shownValue(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first === 'string') return first;
  return typeof first === 'number' ? String(first) : undefined;
}

/** Columns of a file by its first line, which contains their names if a place is given by name. */
export function columnsOf(firstLine: string, fields: FieldMap): Splitter {
  const separator = firstLine.includes('\t') ? '\t' : ',';
  const places = Object.values(fields).flatMap(({ place }) => place.split(/[|+]/));
  const named = places.filter((place) => !isNumber(place));
  const names = splitFields(firstLine, separator, mostColumns).map((name) => name.trim());
  const missing = named.find((place) => !names.includes(place));
  // The message does not contain the names found, because the line may be about a visitor.
  if (missing !== undefined) {
    return () => `the first line of the file names no column ${JSON.stringify(missing)}`;
  }
  const columns = new Map(
    places.map((place) => [place, isNumber(place) ? Number(place) - 1 : names.indexOf(place)]),
  );
  const last = Math.max(...columns.values());
  return (line) => {
    if (named.length > 0 && line === firstLine) return undefined;
    const values = splitFields(line, separator, last + 1);
    return (place) => values[columns.get(place) as number];
  };
}

function isNumber(place: string): boolean {
  return /^[1-9]\d{0,2}$/.test(place);
}
