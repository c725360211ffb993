// The `fields` option: which fields of a log contain what, for logs in a format of their own.
//   client=ip,time=ts,method=req.method,url=req.path,status=code,bytes=size,agent=ua,duration=took:ms
// A place is a name in JSON lines, with dots for nested objects, or a column of delimited text, by number from 1 or by
// its name in the first line. by-fields.ts reads such logs.

import { shown, unknownName } from '../../../options/refusal.ts';
import { invalidOption } from '../../errors.ts';

/** What a place can contain. */
const meanings = [
  'client',
  'time',
  'url',
  'request', // `GET /path HTTP/1.1`, in place of method and url
  'method', // absent: GET
  'query', // if url has none
  'host',
  'status', // absent: 200
  'bytes',
  'agent',
  'referer',
  'purpose', // Sec-Purpose
  'destination', // Sec-Fetch-Dest
  'type', // Content-Type of the response
  'duration', // with its unit
] as const;

export type FieldMeaning = (typeof meanings)[number];

/** ms in each unit. */
const unitsMs = { s: 1000, ms: 1, us: 1e-3, ns: 1e-6 } as const;

export interface FieldPlace {
  place: string;
  /** Unit of a duration, or of a time given as a number; null: none given. */
  unitMs: number | null;
}

export type FieldMap = Readonly<Partial<Record<FieldMeaning, FieldPlace>>>;

const longestFieldMap = 4096;
const example = 'client=ip,time=ts,url=path';

/** @throws PrefetchdError `invalid-option` */
export function parseFieldMap(text: string): FieldMap {
  if (text.length > longestFieldMap) {
    invalidOption(`fields must have at most ${longestFieldMap} characters, not ${text.length}`);
  }
  const map: Partial<Record<FieldMeaning, FieldPlace>> = {};
  for (const part of text.split(',')) {
    const { meaning, place } = readPart(part.trim());
    if (map[meaning] !== undefined) invalidOption(`fields names ${meaning} twice`);
    map[meaning] = place;
  }
  const missing = (['client', 'time'] as const).filter((meaning) => map[meaning] === undefined);
  const all = [...missing, ...(map.url === undefined && map.request === undefined ? ['url'] : [])];
  if (all.length > 0) {
    invalidOption(`fields must say where ${all.join(' and ')} is, as ${example} does`);
  }
  return map;
}

function readPart(part: string): { meaning: FieldMeaning; place: FieldPlace } {
  const equals = part.indexOf('=');
  if (equals === -1) invalidOption(`fields must be pairs as ${example}, not ${shown(part)}`);
  const name = part.slice(0, equals).trim();
  const meaning = meanings.find((known) => known === name);
  if (meaning === undefined) invalidOption(`fields: ${shown(name)} ${unknownName(name, meanings)}`);
  const given = part.slice(equals + 1).trim();
  const hasUnit = meaning === 'duration' || meaning === 'time';
  const [, unit] = (hasUnit && /:(s|ms|us|ns)$/.exec(given)) || [];
  const place = unit === undefined ? given : given.slice(0, -unit.length - 1);
  if (place === '') {
    const rule = 'a name, or the number of a column from 1';
    invalidOption(`fields: ${meaning} must have a place, ${rule}: ${meaning}=...`);
  }
  if (meaning === 'duration' && unit === undefined) {
    invalidOption(`fields: duration must have a unit, s, ms, us or ns: duration=${place}:ms`);
  }
  return {
    meaning,
    place: { place, unitMs: unit === undefined ? null : unitsMs[unit as keyof typeof unitsMs] },
  };
}
