// The URL that `loadahead load` was most likely told, read off the command line before anything that can read it
// properly is loaded: its connection is opened meanwhile. A wrong guess costs one connection.

/** @param args behind the name of the program. @returns null: not worth a connection, or not allowed one. */
export function earlyTarget([command, ...args]: readonly string[]): URL | null {
  if (command !== 'load') return null;
  // Addresses are looked at first; a page out of the cache needs no connection, nor does help.
  if (
    args.some((arg) =>
      /^(?:--public-only|--help|-h|(?:--cache-mode=)?(?:only-if|force)-cached?)$/.test(arg),
    )
  ) {
    return null;
  }
  const url = args.find((arg) => /^\s*https?:\/\//i.test(arg));
  return url === undefined ? null : URL.parse(url.trim());
}
