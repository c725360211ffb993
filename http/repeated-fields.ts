// Parts of a Get-All response mostly have the same fields. A part that says `As-Before: ?1` has those of the part
// before it, but for what each part says of itself: place, length, ETag and status. Pure; both directions.

import { fieldValue, type HeaderPair, hasField } from './header-pairs.ts';

const own = new Set(['content-location', 'content-length', 'etag', 'status']);
const asBefore: HeaderPair = ['As-Before', '?1'];

const isOwn = ([name]: HeaderPair) => own.has(name.toLowerCase());

function isSame(one: readonly HeaderPair[], other: readonly HeaderPair[]): boolean {
  return (
    one.length === other.length &&
    one.every(([name, value], at) => {
      const [otherName, otherValue] = other[at] as HeaderPair;
      return name.toLowerCase() === otherName.toLowerCase() && value === otherValue;
    })
  );
}

/** The fields of a part, without those that the part before it has, too. @param before null: there is none */
export function withoutRepeated(
  fields: readonly HeaderPair[],
  before: readonly HeaderPair[] | null,
): HeaderPair[] {
  const others = fields.filter((field) => !isOwn(field));
  const repeated = before?.filter((field) => !isOwn(field));
  if (repeated === undefined || repeated.length === 0 || !isSame(others, repeated)) {
    return [...fields];
  }
  return [...fields.filter(isOwn), asBefore];
}

/**
 * The reverse.
 * @returns null: it is malformed, says other fields besides, or there is no part before it
 */
export function withRepeated(
  fields: readonly HeaderPair[],
  before: readonly HeaderPair[] | null,
): HeaderPair[] | null {
  if (!hasField(fields, 'as-before')) return [...fields];
  const said = fields.filter(isOwn);
  if (before === null || fieldValue(fields, 'as-before') !== '?1') return null;
  if (fields.length !== said.length + 1) return null;
  return [...said, ...before.filter((field) => !isOwn(field))];
}
