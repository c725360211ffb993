// Reads texts that say which fields of a line hold what:
//   client=ip,time=ts,method=req.method,url=req.path,status=code,bytes=size,agent=ua,duration=took:ms
// Most formats are such a text (field-formats.ts); the option `format` may be one, for a log of its own format. A place
// is the name or the number of a field, as the format's splitter (splitters.ts) knows them. `a|b` is the first of the
// two that can be read, `a+b` both with a space between.

import { about, shown, unknownName } from '../../../options/refusal.ts';
import { invalidOption } from '../../errors.ts';
import { emptyLine, type LineParser, type LogLine } from '../log-format.ts';
import { durationOf, timeOf } from './log-time.ts';
import { given, requestOf } from './quoted.ts';
import type { Splitter, Values } from './splitters.ts';
import { addressIn } from './value-kinds.ts';

/** The meanings that a field of a log line can have. */
const meanings = [
  'client',
  'time',
  'url',
  'request', // a `request` is `GET /path HTTP/1.1`, in place of method and url
  'method', // if a line has neither `method` nor `request`, the method is GET
  'query', // a `query` is added to the URL if `url` has none
  'host',
  'scheme', // if `scheme` is `https`, `on`, the port 443 or a version of TLS, the URL is of https
  'status', // if a log has no `status`, it counts as 200
  'bytes',
  'agent',
  'referer',
  'purpose', // `purpose` is Sec-Purpose
  'destination', // `destination` is Sec-Fetch-Dest
  'type', // `type` is the Content-Type of the response
  'robots', // `robots` is X-Robots-Tag
  'private', // any text in `private` says that the answer was for one person
  'duration', // a `duration` needs a unit, as in `took:ms`
] as const;

export type FieldMeaning = (typeof meanings)[number];

interface FieldPlace {
  /** Names of the fields of a line whose texts, joined by spaces, are the value: `date+time` names two. */
  fields: readonly string[];
  /** Milliseconds per unit of a duration, or of a time that is a number; undefined: the operator named no unit. */
  unitMs: number | undefined;
}

interface Places {
  /** The fields named for one item of a line, such as the client, as the operator wrote them: `ip|remote_addr`. */
  text: string;
  /** Fields that may hold the item's value, in order; the first one that can be read counts. */
  places: readonly FieldPlace[];
}

export type FieldMap = Readonly<Partial<Record<FieldMeaning, Places>>>;

const unitsMs = { s: 1000, ms: 1, us: 1e-3, ns: 1e-6 } as const;
const example = 'client=ip,time=ts,url=path';

const refuse = (reason: string): never => invalidOption(...about('format', reason));

/** Parses a text such as `client=ip,time=ts`: what each field of a line is. @throws PrefetchdError `invalid-option` */
export function parseFieldMap(text: string): FieldMap {
  const map: Partial<Record<FieldMeaning, Places>> = {};
  for (const part of text.split(',')) {
    const { meaning, places } = readPart(part.trim());
    if (map[meaning] !== undefined) refuse(`names ${meaning} twice`);
    map[meaning] = places;
  }
  const missing: string[] = (['client', 'time'] as const).filter((meaning) => !map[meaning]);
  if (map.url === undefined && map.request === undefined) missing.push('url');
  if (missing.length > 0) {
    refuse(`must say where ${missing.join(' and ')} is, as ${example} does`);
  }
  return map;
}

function readPart(part: string): { meaning: FieldMeaning; places: Places } {
  const equals = part.indexOf('=');
  if (equals === -1) refuse(`must be pairs as ${example}, not ${shown(part)}`);
  const name = part.slice(0, equals).trim();
  const meaning = meanings.find((known) => known === name);
  if (meaning === undefined)
    return refuse(`has ${shown(name)}, which ${unknownName(name, meanings)}`);
  const text = part.slice(equals + 1).trim();
  const places = text.split('|').map((option) => placeOf(option, meaning));
  if (places.some(({ fields }) => fields.includes(''))) {
    const rule = 'a name, or the number of a column from 1';
    refuse(`must have a place of ${meaning}, ${rule}: ${meaning}=...`);
  }
  if (meaning === 'duration' && places.some(({ unitMs }) => unitMs === undefined)) {
    refuse(`must have a unit of duration, s, ms, us or ns: duration=${text}:ms`);
  }
  return { meaning, places: { text, places } };
}

function placeOf(text: string, meaning: FieldMeaning): FieldPlace {
  const hasUnit = meaning === 'duration' || meaning === 'time';
  const unit = hasUnit ? /:(s|ms|us|ns)$/.exec(text.trim())?.[1] : undefined;
  const place = unit === undefined ? text.trim() : text.trim().slice(0, -unit.length - 1);
  const fields = place.split('+');
  return { fields, unitMs: unit === undefined ? undefined : unitsMs[unit as keyof typeof unitsMs] };
}

/** Returns the names of all fields of a log line that a field map reads. */
export function fieldsOf(map: FieldMap): string[] {
  return Object.values(map).flatMap(({ places }) => places.flatMap(({ fields }) => fields));
}

/** Makes a parser for one file. @param split used for this file alone, because it may keep state @param ofAddresses
 *  true: a line whose client is no IP address cannot be read, as it has another format */
export function parserBy(map: FieldMap, split: Splitter, ofAddresses = false): LineParser {
  let hasAgents = false;
  return {
    parse(line) {
      const values = split(line);
      if (typeof values !== 'function') return values;
      const read = lineOf(values, map, ofAddresses);
      if (typeof read === 'string') return read;
      // Once a line has had a user agent, a line without one means that the client sent none.
      hasAgents ||= read.userAgent !== undefined;
      if (hasAgents) read.userAgent ??= '';
      return read;
    },
  };
}

function lineOf(values: Values, map: FieldMap, ofAddresses: boolean): LogLine | string {
  const first = <T>(
    meaning: FieldMeaning,
    read: (text: string, unitMs?: number) => T | undefined,
  ): T | undefined => {
    for (const { fields, unitMs } of map[meaning]?.places ?? []) {
      const texts = fields.map(values);
      const value = texts.includes(undefined) ? undefined : read(given(texts.join(' ')), unitMs);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  /** Returns the text of an item, such as the client, from the first of the fields named for it that is not empty; ''
   *  if all are empty; undefined if the line has none of these fields. */
  const text = (meaning: FieldMeaning) => {
    let empty: string | undefined;
    const found = first(meaning, (value) => {
      if (value === '') empty = value;
      return value || undefined;
    });
    return found ?? empty;
  };
  const missing = (...named: FieldMeaning[]) => {
    const meaning = named.find((each) => map[each] !== undefined) ?? 'url';
    return `no ${meaning} that can be read in ${JSON.stringify(map[meaning]?.text)}`;
  };
  const read = emptyLine();
  const address = first('client', addressIn) ?? (ofAddresses ? undefined : text('client'));
  if (!address) return missing('client');
  const timeMs = first('time', timeOf);
  if (timeMs === undefined) return missing('time');
  const status = map.status === undefined ? 200 : first('status', statusOf);
  if (status === undefined) return missing('status');
  const request = text('request');
  const asked = request === undefined ? undefined : requestOf(request);
  const url = text('url') ?? asked?.url;
  if (url === undefined) return missing('url', 'request');
  const query = text('query')?.replace(/^\?/, '');
  read.address = address;
  read.timeMs = timeMs;
  read.status = status;
  read.method = text('method') ?? asked?.method ?? 'GET';
  read.url = query && !url.includes('?') ? `${url}?${query}` : url;
  read.host = text('host') || undefined;
  read.secure = /^(?:https|wss|443|on|\d\.\d)$/i.test(text('scheme') ?? '');
  read.bytes = first('bytes', bytesOf) ?? 0;
  read.userAgent = text('agent');
  read.referer = text('referer');
  read.purpose = text('purpose') || undefined;
  read.fetchDestination = text('destination') || undefined;
  read.contentType = text('type') || undefined;
  read.robotsTag = text('robots') || undefined;
  read.isPrivate = Boolean(text('private'));
  read.durationMs = first('duration', (value, unitMs = 1) => durationOf(value, unitMs));
  return read;
}

function statusOf(text: string): number | undefined {
  return /^\d{1,3}$/.test(text) ? Number(text) : undefined;
}

function bytesOf(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
