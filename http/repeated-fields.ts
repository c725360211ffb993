// Parts of a Get-All response mostly have the same fields. A part with `As-Before: ?1` has the fields of the part
// before it, except those that each part states: Content-Location, Content-Length, ETag, Status. Pure, both directions.

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

/** The fields to send for a part, without those that the part before it has as well. @param before null: no part */
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
 * Restores the fields that `withoutRepeated` left out.
 * @returns null if As-Before is malformed, stands beside other fields, or no part came before
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
