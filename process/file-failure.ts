// Says why a file cannot be read or written, in uniform words; the system's message contains its code and call
// (`ENOENT: no such file or directory, open ...`).

const missing = { read: 'there is no such file', written: 'there is no such directory' };

/** Says what failed: `access.log cannot be read: there is no such file`; errors not from the system keep their
 *  message. */
export function fileFailure(path: string, verb: keyof typeof missing, cause: unknown): string {
  const known: Readonly<Record<string, string>> = {
    ENOENT: missing[verb],
    ENOTDIR: missing[verb],
    EISDIR: 'it is a directory',
    EACCES: 'permission denied',
  };
  const { code = '' } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT' && verb === 'read' && /^https?:/.test(path)) {
    return `${path} is a URL, and a file is needed; a dash (-) reads standard input`;
  }
  const why = known[code] ?? (cause instanceof Error ? cause.message : String(cause));
  return `${path} cannot be ${verb}: ${why}`;
}
