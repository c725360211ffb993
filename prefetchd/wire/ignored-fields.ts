// Unknown names in a body of accesses. They do not invalidate the access, because a newer site may send more than this
// service knows; but they are reported, because a misspelt name silently has no effect.

import { placeOf, unknownName } from '../../options/refusal.ts';
import { type AccessJsonError, accessFields, isRecord, mostErrors } from './access-json.ts';

export interface IgnoredFields {
  count: number;
  first: AccessJsonError[];
}

/** @returns undefined if there are none. @param known further names that a single access may have: of a question */
export function ignoredFields(
  body: unknown,
  known: readonly string[] = [],
): IgnoredFields | undefined {
  const found: IgnoredFields = { count: 0, first: [] };
  const listed = isRecord(body) && Object.hasOwn(body, 'accesses') ? body.accesses : body;
  if (listed !== body) look(found, body, ['accesses', 'leftOut'], []);
  if (Array.isArray(listed)) {
    listed.forEach((item, index) => {
      look(found, item, accessFields, [{ key: 'accesses' }, { key: index }]);
    });
  } else if (listed === body) look(found, body, [...accessFields, ...known], []);
  return found.count === 0 ? undefined : found;
}

/** Like `ignoredFields`, for a body with the access in a field of its own. */
export function ignoredBeside(body: unknown, known: readonly string[]): IgnoredFields | undefined {
  const found: IgnoredFields = { count: 0, first: [] };
  look(found, body, ['access', ...known], []);
  look(found, isRecord(body) ? body.access : body, accessFields, []);
  return found.count === 0 ? undefined : found;
}

function look(
  found: IgnoredFields,
  item: unknown,
  known: readonly string[],
  path: readonly { key: unknown }[],
): void {
  if (!isRecord(item)) return;
  for (const name of Object.keys(item)) {
    if (known.includes(name)) continue;
    if (++found.count > mostErrors) continue;
    const place = placeOf([...path, { key: name }]);
    found.first.push({ place, message: `${place} ${unknownName(name, known)}` });
  }
}
