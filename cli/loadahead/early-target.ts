// The URL that `loadahead load` was most likely told, read off the command line before anything that can read it
// properly is loaded: its connection is opened meanwhile. A wrong guess costs one connection.

/** @param args behind the name of the program. @returns null: not worth a connection, or not allowed one. */
export function earlyTarget([command, ...args]: readonly string[]): URL | null {
  if (command !== 'load') return null;
  // Addresses are looked at first; a page out of the cache needs no connection, nor does help. Of
  // several runs, none is to have a start of its own.
  if (
    args.some((arg) =>
      /^(?:--public-only|--runs(?:=.*)?|--help|-h|(?:--cache-mode=)?(?:only-if|force)-cached?)$/.test(
        arg,
      ),
    )
  ) {
    return null;
  }
  const written = args.find((arg) => /^\s*https?:\/\//i.test(arg));
  const url = written === undefined ? null : URL.parse(written.trim());
  return url === null || isNear(url.hostname) ? null : url;
}

/**
 * This machine, or its own network by address (RFC 1918, RFC 4193, RFC 3927) or name (RFC 6761, RFC 6762): connecting
 * takes no time there, and an early connection would only wait.
 */
function isNear(host: string): boolean {
  if (/(?:^|\.)(?:localhost|local)$/.test(host)) return true;
  if (/^\[(?:::1\]|f[cd]|fe[89ab])/.test(host)) return true;
  return /^(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254)\.[\d.]+$/.test(host);
}
