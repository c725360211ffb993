// A log in an unknown order, separated by spaces, commas or tabs: values show what each column contains.

import type { LogFormat } from '../log-format.ts';
import { type FieldMap, type FieldMeaning, parseFieldMap, parserBy } from './fields.ts';
import { timeOf } from './log-time.ts';
import { commasIn, numbered, wordsIn } from './splitters.ts';
import { addressIn, isHostName, isUserAgent } from './value-kinds.ts';

const splits: ReadonlyArray<(line: string) => string[]> = [
  (line) => (line.includes('\t') ? line.split('\t') : []),
  (line) => (line.includes(',') ? commasIn(line) : []),
  wordsIn,
];

/** The year 1990: an earlier time is only a small number. */
const firstLogs = Date.UTC(1990);

/** Kinds in the order in which columns are assigned: to the first that fits, for clients the one with most values. */
const kinds: ReadonlyArray<readonly [meaning: FieldMeaning, holds: (text: string) => boolean]> = [
  ['time', (text) => (timeOf(text) ?? 0) > firstLogs],
  ['request', (text) => /^[A-Z]{3,16} \S+(?: HTTP\/\d.*)?$/.test(text)],
  ['method', (text) => /^(?:GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH)$/.test(text)],
  ['client', (text) => addressIn(text) !== undefined],
  ['url', (text) => text.startsWith('/')],
  ['status', (text) => /^[1-5]\d\d$/.test(text)],
  ['agent', isUserAgent],
  ['referer', (text) => /^https?:\/\//.test(text)],
  ['host', isHostName],
  ['bytes', (text) => /^\d{1,15}$/.test(text)],
];

/** Agents and referers are missing in many lines; the other kinds must be in most. */
const isOften = new Set<FieldMeaning>(['agent', 'referer']);

export const inferred: LogFormat = {
  name: 'columns',
  createParser(firstLines = []) {
    for (const split of splits) {
      const places = placesIn(firstLines.map(split).filter((row) => row.length > 3));
      if (places === undefined) continue;
      const map = parseFieldMap(places);
      const parser = parserBy(map, (line) => numbered(split(line)), true);
      return { ...parser, layout: inWords(map) };
    }
    return { parse: () => 'no columns that show what they hold' };
  },
};

/** Text for the option `fields`; undefined if a client, a time, a status or a URL is missing. */
function placesIn(rows: ReadonlyArray<readonly string[]>): string | undefined {
  const width = Math.max(0, ...rows.slice(0, 100).map(({ length }) => length));
  const places = new Map<FieldMeaning, number>();
  const taken = new Set<number>();
  for (const [meaning, holds] of kinds) {
    if ((meaning === 'method' || meaning === 'url') && places.has('request')) continue;
    const least = (isOften.has(meaning) ? 0.2 : 0.8) * rows.length;
    let best = -1;
    let mostDistinct = 0;
    for (let at = 0; at < width; at++) {
      if (taken.has(at)) continue;
      const values = rows.flatMap((row) => (holds(row[at] ?? '') ? [row[at] as string] : []));
      const distinct = meaning === 'client' ? new Set(values).size : 1;
      if (values.length === 0 || values.length < least || distinct <= mostDistinct) continue;
      best = at;
      mostDistinct = distinct;
    }
    if (best === -1) continue;
    places.set(meaning, best);
    taken.add(best);
  }
  const isEnough = places.has('client') && places.has('time') && places.has('status');
  if (!isEnough || !(places.has('request') || places.has('url'))) return undefined;
  return Array.from(places, ([meaning, at]) => `${meaning}=${at + 1}`).join(',');
}

function inWords(map: FieldMap): string {
  return Object.entries(map)
    .map(([meaning, { text }]) => `${meaning} in column ${text}`)
    .join(', ');
}
