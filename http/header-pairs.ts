// A header section as a list of pairs, in the order of its lines, names in any case (RFC 9110 5.1): the one look-up of
// a field in it. Several lines of one field are one list (5.3). Linear, and lengths are compared before letters: each
// message is asked for a dozen fields.

/** One line of a header section. */
export type HeaderPair = [name: string, value: string];

/** Values of a field, a line each, without white space around them. @param name in lower case. */
export function fieldLines(headers: readonly HeaderPair[], name: string): string[] {
  const lines: string[] = [];
  for (const [key, value] of headers) if (isNamed(key, name)) lines.push(value.trim());
  return lines;
}

/** The lines of a field joined; '' when it is absent. @param name in lower case. */
export function fieldValue(headers: readonly HeaderPair[], name: string): string {
  return fieldLines(headers, name).join(', ');
}

/** @param name in lower case. */
export function hasField(headers: readonly HeaderPair[], name: string): boolean {
  return headers.some(([key]) => isNamed(key, name));
}

/** @param name as it is to be written; every other spelling of it goes. */
export function withField(
  headers: readonly HeaderPair[],
  name: string,
  value: string,
): HeaderPair[] {
  return [...withoutFields(headers, new Set([name.toLowerCase()])), [name, value]];
}

/** @param names in lower case. */
export function withoutFields(
  headers: readonly HeaderPair[],
  names: ReadonlySet<string>,
): HeaderPair[] {
  return headers.filter(([key]) => !names.has(key.toLowerCase()));
}

/** @param name in lower case. */
export function isNamed(key: string, name: string): boolean {
  return key.length === name.length && key.toLowerCase() === name;
}
