// Converts a request target to names below the served folder, or a reason to refuse. Pure: the file system is not
// consulted; file-store handles symbolic links. Each segment is decoded separately, so an encoded slash cannot become
// a separator. The result contains no '.', '..', NUL, backslash or leading dot, and on Windows no device, drive or
// stream name.

export interface RequestPath {
  /** Decoded segments of the path; none for the served folder itself. */
  readonly segments: readonly string[];
  /** True if the target ends in a slash, and so means a folder. */
  readonly isFolder: boolean;
  /** The query with its question mark, or ''. */
  readonly query: string;
}

/** 'malformed' is a client error (400); 'refused' is treated like a missing file (404). */
export type RequestPathResult = RequestPath | 'malformed' | 'refused';

const windowsNames = /[<>:"|?*]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const neverInNames = /[\x00-\x1f\x7f/\\]/;

function refusedName(name: string, isFirst: boolean, onWindows: boolean): boolean {
  if (name === '' || neverInNames.test(name)) return true;
  // Dotfiles are usually not meant to be served; /.well-known/ is (RFC 8615).
  if (name.startsWith('.') && !(isFirst && name === '.well-known')) return true;
  return onWindows && windowsNames.test(name);
}

/** Converts a request target to names below the served folder; it may be in absolute-form, too (RFC 9112 3.2.2). */
export function requestPath(
  target: string,
  onWindows = process.platform === 'win32',
): RequestPathResult {
  let rest = target;
  if (!rest.startsWith('/')) {
    const absolute = /^https?:\/\/[^/?#]*(?<rest>.*)$/i.exec(rest);
    if (absolute === null) return 'malformed';
    rest = absolute.groups?.rest || '/';
    if (rest.startsWith('?')) rest = `/${rest}`;
  }
  const hash = rest.indexOf('#');
  if (hash !== -1) rest = rest.slice(0, hash);
  const mark = rest.indexOf('?');
  const query = mark === -1 ? '' : rest.slice(mark);
  const names = (mark === -1 ? rest : rest.slice(0, mark)).slice(1).split('/');
  const isFolder = names.at(-1) === '';
  if (isFolder) names.pop();

  const segments: string[] = [];
  for (const name of names) {
    let decoded: string;
    try {
      decoded = decodeURIComponent(name);
    } catch {
      return 'malformed';
    }
    if (refusedName(decoded, segments.length === 0, onWindows)) return 'refused';
    segments.push(decoded);
  }
  return { segments, isFolder, query };
}

/** Returns the canonical URL of a folder, built from decoded names, so that it contains no unchecked text. */
export function folderLocation({ segments, query }: RequestPath): string {
  const path = segments.map((name) => `${encodeURIComponent(name)}/`).join('');
  return `/${path}${/^[\x21-\x7e]*$/.test(query) ? query : ''}`;
}
