// Logs whose fields may be anywhere (field-map.ts): the user names their places, a table lists them (tables.ts), or the
// first lines show them (inferred.ts). A splitter (splitters.ts) finds the fields of a line; this file reads their
// values for all.

import { emptyLine, type LineParser, type LogFormat, type LogLine } from '../log-format.ts';
import { addressIn } from './address.ts';
import { plainMs } from './duration.ts';
import type { FieldMap, FieldMeaning } from './field-map.ts';
import { bytesOf, statusOf } from './json-line.ts';
import { anyEpochMs, commonTimeMs, isoTimeMs, usTimeMs, validTimeMs } from './log-time.ts';
import { readRequest } from './quoted.ts';
import { columnsOf, type Splitter, splitJson } from './splitters.ts';

/** A log whose fields the user named: one JSON object per line, or columns separated by tabs or, if the first line has
 *  no tab, by commas. The first line of a file decides. */
export function formatByFields(fields: FieldMap): LogFormat {
  return {
    name: 'fields',
    createParser() {
      let split: Splitter | undefined;
      return parserBy(fields, (line) => {
        split ??= line.startsWith('{') ? splitJson : columnsOf(line, fields);
        return split(line);
      });
    },
  };
}

/** @param ofAddresses the client must be an address; otherwise the line has another format */
export function parserBy(fields: FieldMap, split: Splitter, ofAddresses = false): LineParser {
  return {
    parse(line) {
      if (line === '') return undefined;
      const values = split(line);
      if (typeof values !== 'function') return values;
      return lineOf((place) => joined(place, values), fields, ofAddresses);
    },
  };
}

/** Places separated by `|`: the first that has a value; by `+`: all of them, with a space between. */
function joined(place: string, values: (name: string) => string | undefined): string | undefined {
  const whole = values(place);
  if (whole !== undefined || !/[|+]/.test(place)) return whole;
  const options = place.split('|').map((option) => {
    const parts = option.split('+').map(values);
    return parts.includes(undefined) ? undefined : parts.join(' ');
  });
  return options.find((text) => text !== undefined && text !== '' && text !== '-') ?? options[0];
}

function lineOf(
  values: (place: string) => string | undefined,
  fields: FieldMap,
  ofAddresses: boolean,
): LogLine | string {
  const text = (meaning: FieldMeaning): string | undefined => {
    const field = fields[meaning];
    const value = field === undefined ? undefined : values(field.place);
    return value === '-' ? '' : value;
  };
  const missing = (meaning: FieldMeaning) =>
    `no ${meaning} that can be read in ${JSON.stringify(fields[meaning]?.place)}`;
  const read = emptyLine();
  const client = text('client') ?? '';
  const address = addressIn(client);
  if (client === '' || (ofAddresses && address === undefined)) return missing('client');
  read.address = address ?? client;
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
  // Other lines have the field, so this client sent none.
  read.userAgent = fields.agent === undefined ? undefined : (text('agent') ?? '');
  read.referer = text('referer');
  read.purpose = text('purpose') || undefined;
  read.fetchDestination = text('destination') || undefined;
  read.contentType = text('type') || undefined;
  read.durationMs = durationOf(text('duration'), fields.duration?.unitMs ?? 1);
  return read;
}

export function timeOf(text: string, unitMs: number | null): number {
  if (unitMs !== null) {
    return /^\d{1,19}(?:\.\d{1,12})?$/.test(text)
      ? validTimeMs(Math.round(Number(text) * unitMs))
      : Number.NaN;
  }
  for (const timeMs of [
    isoTimeMs(text),
    commonTimeMs(text, text.startsWith('[') ? 1 : 0),
    usTimeMs(text),
    anyEpochMs(text),
  ]) {
    if (!Number.isNaN(timeMs)) return timeMs;
  }
  return Number.NaN;
}

/** Duration in ms; several values are added. */
function durationOf(text: string | undefined, unitMs: number): number | undefined {
  const amounts = (text ?? '-')
    .split(' ')
    .map((part) => (/^\d/.test(part) ? Number(part) : Number.NaN));
  const sum = amounts.reduce((all, amount) => all + amount, 0);
  return Number.isNaN(sum) ? undefined : plainMs(String(sum * unitMs));
}
