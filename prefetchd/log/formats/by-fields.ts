// A log whose fields the user has named (field-map.ts): one JSON object per line, or columns separated by tabs or, if
// the first line has no tab, by commas; both may be quoted as in RFC 4180. The first line of a file decides. If a
// column is given by name, that line has the names.

import {
  emptyLine,
  type LineParser,
  type LogFormat,
  type LogLine,
  shareRead,
} from '../log-format.ts';
import { splitFields } from './directive-fields.ts';
import { plainMs } from './duration.ts';
import type { FieldMap, FieldMeaning } from './field-map.ts';
import { bytesOf, type JsonObject, ownValue, parseJsonLine, statusOf } from './json-line.ts';
import { anyEpochMs, commonTimeMs, isoTimeMs, validTimeMs } from './log-time.ts';
import { readRequest } from './quoted.ts';

export function formatByFields(fields: FieldMap): LogFormat {
  return {
    name: 'fields',
    manySites: false,
    detect: (lines) => shareRead(createParser(fields), lines),
    createParser: () => createParser(fields),
  };
}

/** The text of a field; undefined if the line has none. */
type Values = (place: string) => string | undefined;
/** Text: why the line cannot be read. Undefined: it is the line with the names. */
type Splitter = (line: string) => Values | string | undefined;

function createParser(fields: FieldMap): LineParser {
  let split: Splitter | undefined;
  return {
    parse(line) {
      if (line === '') return undefined;
      split ??= line.startsWith('{') ? splitJson : columnsOf(line, fields);
      const values = split(line);
      return typeof values === 'function' ? lineOf(values, fields) : values;
    },
  };
}

function splitJson(line: string): Values | string {
  const object = parseJsonLine(line);
  return typeof object === 'string' ? object : (place) => shownValue(valueAt(object, place));
}

/** A name with dots may be a name itself. */
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

/** Of a list, such as the values of a header field, the first. */
function shownValue(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first === 'string') return first;
  return typeof first === 'number' ? String(first) : undefined;
}

const mostColumns = 1000;

function columnsOf(firstLine: string, fields: FieldMap): Splitter {
  const separator = firstLine.includes('\t') ? '\t' : ',';
  const places = Object.values(fields).map(({ place }) => place);
  const named = places.filter((place) => !isNumber(place));
  const names = splitFields(firstLine, separator, mostColumns).map((name) => name.trim());
  const missing = named.find((place) => !names.includes(place));
  // Without the names that are there: the line may be about a visitor.
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

function lineOf(values: Values, fields: FieldMap): LogLine | string {
  const text = (meaning: FieldMeaning): string | undefined => {
    const field = fields[meaning];
    const value = field === undefined ? undefined : values(field.place);
    return value === '-' ? '' : value;
  };
  const missing = (meaning: FieldMeaning) =>
    `no ${meaning} that can be read in ${JSON.stringify(fields[meaning]?.place)}`;
  const read = emptyLine();
  read.address = text('client') ?? '';
  if (read.address === '') return missing('client');
  read.timeMs = timeOf(text('time') ?? '', fields.time?.unitMs ?? null);
  if (Number.isNaN(read.timeMs)) return missing('time');
  read.status = fields.status === undefined ? 200 : statusOf(text('status'));
  if (Number.isNaN(read.status)) return missing('status');
  const request = text('request') ?? '';
  readRequest(request, 0, request.length, read);
  read.method = text('method') ?? (fields.request === undefined ? 'GET' : read.method);
  read.url = text('url') ?? read.url;
  if (read.url === '' && fields.request === undefined) return missing('url');
  const query = text('query')?.replace(/^\?/, '');
  if (query && !read.url.includes('?')) read.url += `?${query}`;
  read.host = text('host') || undefined;
  read.bytes = bytesOf(text('bytes'));
  // Where the field is there for others, this client sent none.
  read.userAgent = fields.agent === undefined ? undefined : (text('agent') ?? '');
  read.referer = text('referer');
  read.purpose = text('purpose') || undefined;
  read.fetchDestination = text('destination') || undefined;
  read.contentType = text('type') || undefined;
  read.durationMs = durationOf(text('duration'), fields.duration?.unitMs ?? 1);
  return read;
}

function timeOf(text: string, unitMs: number | null): number {
  if (unitMs !== null) {
    return /^\d{1,19}(?:\.\d{1,12})?$/.test(text)
      ? validTimeMs(Math.round(Number(text) * unitMs))
      : Number.NaN;
  }
  for (const timeMs of [
    isoTimeMs(text),
    commonTimeMs(text, text.startsWith('[') ? 1 : 0),
    anyEpochMs(text),
  ]) {
    if (!Number.isNaN(timeMs)) return timeMs;
  }
  return Number.NaN;
}

function durationOf(text: string | undefined, unitMs: number): number | undefined {
  const amount = Number(text);
  return text === undefined || !/^\d/.test(text) || Number.isNaN(amount)
    ? undefined
    : plainMs(String(amount * unitMs));
}
