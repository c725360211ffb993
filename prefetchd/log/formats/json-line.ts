// One JSON object a line. Fields are read as own properties only, so `__proto__` and `constructor` are
// names like any other.

export type JsonObject = { readonly [name: string]: unknown };

/** The object on the line, or why there is none. nginx's `escape=default` writes `\x22`, which is not
 *  JSON: read as `\u0022`. */
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

/** The first of `names` that holds a text or a number, as text; undefined without one. */
export function textOf(object: unknown, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = ownValue(object, name);
    if (typeof value === 'string') return value;
    if (typeof value === 'number') return String(value);
  }
  return undefined;
}

/** A count of bytes; 0 for what is none. */
export function bytesOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

/** A status of three digits; NaN for what is none. */
export function statusOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
}
