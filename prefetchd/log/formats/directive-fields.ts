// The common part of W3C extended logs and CloudFront (W3C WD-logfile-960323): lines starting with `#` are
// directives; `#Fields:` names the columns of the following lines and may occur again with others.

import { emptyLine, type LineParser, type LogLine } from '../log-format.ts';
import { addressIn } from './address.ts';
import { afterDateMs, isoDateMs } from './log-time.ts';

export interface FieldStyle {
  separator: ' ' | '\t';
  /** Decodes the format's own escapes in a referer or user agent. */
  decode(text: string): string;
  /** Converts `time-taken` to ms. */
  duration(text: string | undefined): number | undefined;
}

interface DirectiveColumns {
  date: number;
  time: number;
  forwarded: number;
  address: number;
  method: number;
  path: number;
  query: number;
  uri: number;
  host: number;
  protocol: number;
  status: number;
  bytes: number;
  userAgent: number;
  referer: number;
  purpose: number;
  fetchDestination: number;
  contentType: number;
  timeTaken: number;
}

/** Column names for each meaning, best first: those of IIS, of CloudFront, and of the draft. */
const names: Record<keyof DirectiveColumns, readonly string[]> = {
  date: ['date'],
  time: ['time'],
  forwarded: ['x-forwarded-for', 'cs(x-forwarded-for)'],
  address: ['c-ip', 'c-dns', 's-ip-client'],
  method: ['cs-method'],
  path: ['cs-uri-stem'],
  query: ['cs-uri-query'],
  uri: ['cs-uri'],
  host: ['x-host-header', 'cs-host', 'cs(host)'],
  protocol: ['cs-protocol', 's-port'],
  status: ['sc-status'],
  bytes: ['sc-bytes', 'bytes'],
  userAgent: ['cs(user-agent)'],
  referer: ['cs(referer)'],
  purpose: ['cs(sec-purpose)', 'cs(purpose)', 'cs(x-moz)'],
  fetchDestination: ['cs(sec-fetch-dest)'],
  contentType: ['sc-content-type', 'sc(content-type)', 'rs(content-type)'],
  timeTaken: ['time-taken'],
};

export function createDirectiveParser(style: FieldStyle): LineParser {
  let columns: DirectiveColumns | undefined;
  let count = 0;
  let dateOfDirective = '';
  return {
    parse(line) {
      if (line === '') return undefined;
      if (line.charCodeAt(0) === 0x23) {
        if (/^#Fields:/i.test(line)) {
          const fields = line.slice(8).trim().split(/\s+/);
          columns = columnsOf(fields);
          count = fields.length;
        } else if (/^#Date:/i.test(line)) dateOfDirective = line.slice(6).trim().slice(0, 10);
        return undefined;
      }
      if (columns === undefined) return 'no #Fields line before it';
      const values = splitFields(line, style.separator, count + 1);
      if (values.length !== count) return `not the ${count} fields that #Fields names`;
      return lineOf(values, columns, style, dateOfDirective);
    },
  };
}

/** Reads a line that names its columns itself. */
export function lineOfColumns(
  names: readonly string[],
  values: readonly string[],
  style: FieldStyle,
): LogLine | string {
  return lineOf(values, columnsOf(names), style, '');
}

function columnsOf(fields: readonly string[]): DirectiveColumns {
  const lower = fields.map((field) => field.toLowerCase());
  const columns: Partial<DirectiveColumns> = {};
  for (const meaning of Object.keys(names) as Array<keyof DirectiveColumns>) {
    const name = names[meaning].find((candidate) => lower.includes(candidate));
    columns[meaning] = name === undefined ? -1 : lower.indexOf(name);
  }
  return columns as DirectiveColumns;
}

function lineOf(
  values: readonly string[],
  columns: DirectiveColumns,
  { decode, duration }: FieldStyle,
  dateOfDirective: string,
): LogLine | string {
  /** `-` denotes an empty field. */
  const value = (column: number): string | undefined => {
    const text = values[column];
    return text === '-' ? '' : text;
  };
  const read = emptyLine();
  const forwarded = value(columns.forwarded);
  const address = (forwarded && addressIn(decode(forwarded))) || value(columns.address);
  if (!address) return 'no client address';
  read.address = address;
  read.timeMs = timeOf(values[columns.date] ?? dateOfDirective, values[columns.time]);
  if (Number.isNaN(read.timeMs)) return 'date and time cannot be read';
  const status = value(columns.status) ?? '';
  if (!/^\d{1,3}$/.test(status)) return 'status is not a number';
  read.status = Number(status);
  read.bytes = count(value(columns.bytes));
  read.method = value(columns.method) ?? 'GET';
  const path = value(columns.path) ?? value(columns.uri) ?? '';
  const query = value(columns.query);
  read.url = query ? `${path}?${query}` : path;
  read.host = value(columns.host) || undefined;
  read.secure = /^(?:https|wss|443)$/i.test(value(columns.protocol) ?? '');
  const userAgent = value(columns.userAgent);
  read.userAgent = userAgent && decode(userAgent);
  const referer = value(columns.referer);
  read.referer = referer && decode(referer);
  read.purpose = value(columns.purpose) || undefined;
  read.fetchDestination = value(columns.fetchDestination) || undefined;
  read.contentType = value(columns.contentType) || undefined;
  read.durationMs = duration(value(columns.timeTaken));
  return read;
}

/** Dates and times are UTC (draft, "Date" and "Time"). */
function timeOf(date: string, time: string | undefined): number {
  return time === undefined ? Number.NaN : isoDateMs(date) + afterDateMs(time, 0);
}

function count(text: string | undefined): number {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

/** At most `most` fields. A field that begins with a quote ends at the next single quote; `""` inside is a quote
 *  (draft, "string"). */
export function splitFields(line: string, separator: string, most: number): string[] {
  const fields: string[] = [];
  let at = 0;
  while (fields.length < most) {
    if (line.charCodeAt(at) === 0x22) {
      const end = stringEnd(line, at + 1);
      if (end !== -1 && (end + 1 === line.length || line[end + 1] === separator)) {
        fields.push(line.slice(at + 1, end).replaceAll('""', '"'));
        if (end + 1 === line.length) return fields;
        at = end + 2;
        continue;
      }
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
    if (line.charCodeAt(quote + 1) !== 0x22) return quote;
  }
  return -1;
}
