// Import maps (HTML 8.1.6.2), which define the meaning of module specifiers. Several maps of a page are merged; of two
// rules for one specifier, the first applies (8.1.6.4, "merge existing and new import maps").

/** The URL of each specifier; null: the specifier is blocked. */
type SpecifierMap = Map<string, string | null>;

/** Longest import map that is used, characters; a longer one is ignored. */
const longest = 1024 * 1024;
/** Limit on the folders of a path (prefixes that end with a slash) for which rules of the map are looked up. */
const deepest = 64;

export class ImportMap {
  readonly #imports: SpecifierMap = new Map();
  /** The rules of `scopes`: those that apply only to imports by modules whose URL begins with the key. */
  readonly #scopes = new Map<string, SpecifierMap>();

  /** Adds a map as written; one that is not valid JSON adds nothing. @param base URL of the document */
  add(text: string, base: URL): void {
    const parsed = text.length > longest ? null : parsedOrNull(text);
    if (!isObject(parsed)) return;
    addRules(this.#imports, parsed.imports, base);
    if (!isObject(parsed.scopes)) return;
    for (const [prefix, rules] of Object.entries(parsed.scopes)) {
      const scope = URL.parse(prefix, base.href)?.href;
      if (scope === undefined || !isObject(rules)) continue;
      const known = this.#scopes.get(scope) ?? new Map();
      this.#scopes.set(scope, known);
      addRules(known, rules, base);
    }
  }

  /** Resolves a module specifier (HTML 8.1.6.1). @param base URL of the importing script @returns null if that fails */
  resolve(specifier: string, base: URL): string | null {
    const url = urlLike(specifier, base);
    const name = url?.href ?? specifier;
    const scopes = [base.href, ...foldersOf(base.href)].map((scope) => this.#scopes.get(scope));
    for (const rules of [...scopes, this.#imports]) {
      const found = rules && match(name, url, rules);
      if (found !== undefined) return found;
    }
    return url?.href ?? null;
  }
}

function addRules(map: SpecifierMap, rules: unknown, base: URL): void {
  if (!isObject(rules)) return;
  for (const [specifier, address] of Object.entries(rules)) {
    const key = specifier === '' ? null : (urlLike(specifier, base)?.href ?? specifier);
    if (key === null || map.has(key)) continue;
    const url = typeof address === 'string' ? urlLike(address, base) : null;
    const isFolder = key.endsWith('/');
    map.set(key, url === null || (isFolder && !url.href.endsWith('/')) ? null : url.href);
  }
}

/** Returns the URL that the rules give a specifier; undefined: no rule matches; null: the matching rule blocks it. */
function match(name: string, url: URL | null, rules: SpecifierMap): string | null | undefined {
  const exact = rules.get(name);
  if (exact !== undefined) return exact;
  // Prefixes match a URL only if its scheme is special.
  if (url !== null && !/^(?:https?|file|wss?|ftp):$/.test(url.protocol)) return undefined;
  const longestPrefix = foldersOf(name).find((folder) => rules.get(folder) !== undefined);
  if (longestPrefix === undefined) return undefined;
  const folder = rules.get(longestPrefix) ?? null;
  const resolved = folder === null ? null : URL.parse(name.slice(longestPrefix.length), folder);
  // A specifier must not resolve to a URL outside the folder of its rule.
  return resolved?.href.startsWith(folder ?? '') ? resolved.href : null;
}

/** Implements "resolve a URL-like module specifier" (HTML 8.1.6.1). @returns null if the specifier is a bare one */
function urlLike(specifier: string, base: URL): URL | null {
  const isRelative = /^(?:\/|\.\/|\.\.\/)/.test(specifier);
  return isRelative ? URL.parse(specifier, base.href) : URL.parse(specifier);
}

/** Returns the prefixes of the path that end with a slash, the longest first. */
function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf('/'); at !== -1 && folders.length < deepest; ) {
    folders.push(path.slice(0, at + 1));
    at = path.indexOf('/', at + 1);
  }
  return folders.reverse();
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
