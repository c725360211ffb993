// Finds the fields of a line, by number from 1 or by name. Each character is examined a bounded number of times.

import { fieldEnd } from './quoted.ts';

/** Returns the text of a field; undefined if the line has no such field. */
export type Values = (field: string) => string | undefined;
/** Finds the fields of a line. Returns a text that says why the line cannot be read, or undefined if the line is not
 *  meant as an access. */
export type Splitter = (line: string) => Values | string | undefined;

const mostWords = 64;
/** Limit on the columns of a line that are examined. */
export const mostColumns = 1000;

export const numbered =
  (fields: readonly string[]): Values =>
  (field) =>
    fields[Number(field) - 1];

/** Returns the words of a line, separated by spaces; text in quotes or brackets is one word, without the quotes or
 *  brackets. */
export function wordsIn(line: string): string[] {
  const words: string[] = [];
  for (let at = 0; at < line.length && words.length < mostWords; ) {
    if (line[at] === ' ') {
      at++;
      continue;
    }
    const close =
      line[at] === '"' ? fieldEnd(line, at + 1) : line[at] === '[' ? bracketEnd(line, at) : -1;
    const space = close === -1 ? line.indexOf(' ', at) : close + 1;
    const end = space === -1 ? line.length : space;
    words.push(close === -1 ? line.slice(at, end) : line.slice(at + 1, close));
    at = end;
  }
  return words;
}

/** Returns where the `]` of a word in brackets is; -1 if more text follows, as a port does after an IPv6 address. */
function bracketEnd(line: string, from: number): number {
  const close = line.indexOf(']', from);
  return close + 1 === line.length || line[close + 1] === ' ' ? close : -1;
}

/** Returns the values of a line of CSV (RFC 4180), without the spaces around them. */
export function commasIn(line: string): string[] {
  return splitFields(line, ',', mostColumns).map((field) => field.trim());
}

/** Splits a line of pairs `label:value`, separated by tabs (ltsv.org). */
export const splitLabels: Splitter = (line) => {
  const fields = new Map<string, string>();
  for (const field of line.split('\t')) {
    const colon = field.indexOf(':');
    if (colon > 0) fields.set(field.slice(0, colon), field.slice(colon + 1));
  }
  return (field) => fields.get(field);
};

export type JsonObject = { readonly [name: string]: unknown };

/** Returns the JSON object on the line, or a text that says why there is none. The `\x22` that nginx's `escape=default`
 *  writes is not valid JSON and is read as `\u0022`. */
export function parseJsonLine(line: string): JsonObject | string {
  if (!line.startsWith('{')) return 'no JSON object';
  const value =
    parsed(line) ?? (line.includes('\\x') ? parsed(withUnicodeEscapes(line)) : undefined);
  return typeof value === 'object' && value !== null ? (value as JsonObject) : 'JSON is broken';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withUnicodeEscapes(line: string): string {
  return line.replace(/\\(?:x([0-9A-Fa-f]{2})|.)/gs, (found, hex?: string) =>
    hex === undefined ? found : `\\u00${hex}`,
  );
}

/** Returns a property of an object. Only own ones are read, so `__proto__` and `constructor` are ordinary names. */
export function ownValue(object: unknown, name: string): unknown {
  return typeof object === 'object' && object !== null && Object.hasOwn(object, name)
    ? (object as JsonObject)[name]
    : undefined;
}

export const splitJson: Splitter = (line) => {
  const object = parseJsonLine(line);
  return typeof object === 'string' ? object : valuesOf(object);
};

/** Returns a function that reads the fields of an object by name; if the value is a list, as for a header field, it
 *  returns the first entry. */
export function valuesOf(object: JsonObject): Values {
  return (field) => {
    const value = valueAt(object, field);
    const first: unknown = Array.isArray(value) ? value[0] : value;
    if (typeof first === 'string') return first;
    return typeof first === 'number' ? String(first) : undefined;
  };
}

/**
 * Returns the value at a path, whose dots enter nested objects; a path with dots may itself be the name of a property.
 */
function valueAt(object: unknown, path: string): unknown {
  const whole = ownValue(object, path);
  const dot = path.indexOf('.');
  if (whole !== undefined || dot === -1) return whole;
  return valueAt(ownValue(object, path.slice(0, dot)), path.slice(dot + 1));
}

/** Returns the fields of a line, at most `most`. A field that begins with a quote ends at the next quote that is not
 *  doubled; `""` inside stands for a quote (W3C WD-logfile-960323, "string"). */
export function splitFields(line: string, separator: string, most: number): string[] {
  const fields: string[] = [];
  let at = 0;
  while (fields.length < most) {
    const close = line[at] === '"' ? stringEnd(line, at + 1) : -1;
    if (close !== -1 && (close + 1 === line.length || line[close + 1] === separator)) {
      fields.push(line.slice(at + 1, close).replaceAll('""', '"'));
      if (close + 1 === line.length) return fields;
      at = close + 2;
      continue;
    }
    const end = line.indexOf(separator, at);
    if (end === -1) {
      // A trailing separator (some tools pad lines) begins no field.
      if (at < line.length || fields.length === 0) fields.push(line.slice(at));
      return fields;
    }
    fields.push(line.slice(at, end));
    at = end + 1;
  }
  return fields;
}

function stringEnd(line: string, from: number): number {
  for (let quote = line.indexOf('"', from); quote !== -1; quote = line.indexOf('"', quote + 2)) {
    if (line[quote + 1] !== '"') return quote;
  }
  return -1;
}
