// One JSON object per line. Only own properties are read, so `__proto__` and `constructor` are ordinary names.

export type JsonObject = { readonly [name: string]: unknown };

/** The object on the line, or why there is none. The `\x22` that nginx's `escape=default` writes is not valid JSON
 *  and is read as `\u0022`. */
export function parseJsonLine(line: string): JsonObject | string {
  if (line.charCodeAt(0) !== 0x7b) return 'no JSON object';
  const value =
    parsed(line) ?? (line.includes('\\x') ? parsed(withUnicodeEscapes(line)) : undefined);
  return typeof value === 'object' && value !== null ? (value as JsonObject) : 'JSON is broken';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withUnicodeEscapes(line: string): string {
  return line.replace(/\\(?:x([0-9A-Fa-f]{2})|.)/gs, (found, hex?: string) =>
    hex === undefined ? found : `\\u00${hex}`,
  );
}

export function ownValue(object: unknown, name: string): unknown {
  return typeof object === 'object' && object !== null && Object.hasOwn(object, name)
    ? (object as JsonObject)[name]
    : undefined;
}

/** The first of `names` with a text or number, as text; undefined if there is none. */
export function textOf(object: unknown, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = ownValue(object, name);
    if (typeof value === 'string') return value;
    if (typeof value === 'number') return String(value);
  }
  return undefined;
}

/** A byte count; 0 if invalid. */
export function bytesOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

/** A three-digit status; NaN if invalid. */
export function statusOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
}
