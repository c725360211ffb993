// Parses the srcset attribute (HTML 4.8.4.3.10, "parsing a srcset attribute") in linear time.

export interface ImageCandidate {
  /** URL of the image, as written. */
  url: string;
  /** Width descriptor, as in 480w; null if there is none. */
  width: number | null;
  /** Pixel density descriptor, as in 2x; null if there is none. */
  density: number | null;
}

/** Matches a URL and, unless it ends with a comma, its descriptors. A comma in parentheses does not end descriptors. */
const candidates = /([^\t\n\f\r ,][^\t\n\f\r ]*)((?<!,)(?:[^,(]+|\([^)]*\)?)*|)/g;
/** Matches one descriptor, which spaces in parentheses do not end. */
const descriptors = /(?:[^\t\n\f\r (]+|\([^)]*\)?)+/g;
/** Longest srcset attribute that is read, characters. */
const longest = 1024 * 1024;

/** Returns the image candidates of a srcset attribute in order, except those with invalid descriptors. */
export function parseSrcset(text: string): ImageCandidate[] {
  const found: ImageCandidate[] = [];
  if (text.length > longest) return found;
  for (const [, url = '', rest = ''] of text.matchAll(candidates)) {
    const candidate = candidateOf(withoutTrailingCommas(url), rest.match(descriptors) ?? []);
    if (candidate !== null && candidate.url !== '') found.push(candidate);
  }
  return found;
}

const wholeNumber = /^\d+$/;
/** Matches a "valid floating-point number" (HTML 2.3.4.3). */
const floatingPoint = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Returns the image candidate with these descriptors; null: one of them or their combination is invalid. */
function candidateOf(url: string, written: readonly string[]): ImageCandidate | null {
  const values = new Map<string, number>();
  for (const descriptor of written) {
    const [number, unit] = [descriptor.slice(0, -1), descriptor.slice(-1)];
    const value = Number(number);
    const isValid =
      unit === 'x'
        ? floatingPoint.test(number) && value >= 0
        : /[wh]/.test(unit) && wholeNumber.test(number) && value > 0;
    if (!isValid || values.has(unit)) return null;
    values.set(unit, value);
  }
  const [width = null, density = null] = [values.get('w'), values.get('x')];
  if (density !== null && values.size > 1) return null;
  // HTML reserves the height descriptor for the future, and allows it only beside a width descriptor.
  return values.has('h') && width === null ? null : { url, width, density };
}

function withoutTrailingCommas(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === ',') end--;
  return text.slice(0, end);
}
