// Which fields go on, in both directions. End-to-end fields do, as they came: case, order, several lines
// of one name. Hop-by-hop fields do not (RFC 9110 7.6.1): they are about one connection, and there are
// two here. Proxy-Authenticate and Proxy-Authorization speak to a proxy that was chosen; nobody chose this one.

import { hopByHop } from '../../http/hop-by-hop.ts';

/** Naming these in Connection must not take them away: they tell where a message ends and whom it is for. */
const kept = new Set(['content-length', 'host', 'trailer']);
/** Of no use, or a danger, behind the content (RFC 9110 6.5.1). */
const notInTrailers = new Set([
  ...hopByHop,
  'authorization',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'cookie',
  'host',
  'set-cookie',
  'trailer',
]);

/** Name as it first came, and its values; keys in lower case. */
export type Fields = Map<string, { readonly name: string; readonly values: string[] }>;

function* pairs(raw: readonly string[]): Generator<[name: string, lower: string, value: string]> {
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? '';
    yield [name, name.toLowerCase(), raw[i + 1] ?? ''];
  }
}

/** The end-to-end fields of `rawHeaders`; pseudo-fields of HTTP/2 are left out. */
export function endToEnd(rawHeaders: readonly string[]): Fields {
  const dropped = new Set(hopByHop);
  for (const [, lower, value] of pairs(rawHeaders)) {
    if (lower !== 'connection') continue;
    for (const option of value.split(',')) {
      const named = option.trim().toLowerCase();
      if (!kept.has(named)) dropped.add(named);
    }
  }
  const fields: Fields = new Map();
  for (const [name, lower, value] of pairs(rawHeaders)) {
    if (dropped.has(lower) || name.startsWith(':')) continue;
    const field = fields.get(lower);
    if (field) field.values.push(value);
    else fields.set(lower, { name, values: [value] });
  }
  return fields;
}

/** Trailer fields that may be passed on. */
export function trailersOf(rawTrailers: readonly string[]): [name: string, value: string][] {
  return [...pairs(rawTrailers)]
    .filter(([, lower]) => !notInTrailers.has(lower))
    .map(([name, , value]) => [name, value]);
}

/** One string for one line, a list for several, as node:http and node:http2 take them. */
export function linesOf({ values }: { values: string[] }): string | string[] {
  return values.length === 1 ? (values[0] ?? '') : values;
}
