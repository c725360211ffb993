// The stable codes of load failures. Misuse throws a LoaderError; a network fault is recorded in the row of its
// resource with one of the same codes. docs/errors.md is made of the comments (`npm run options`).

export const loaderErrorCodes = [
  'invalid-option', // An option has a wrong name or value; thrown. `option` and `reason` say which and why.
  'invalid-url', // The page's URL is not absolute http(s), or has credentials; thrown.
  'cache-unusable', // The cache's folder or its `cache.db` cannot be used or created; thrown.
  'loader-closed', // A call came after `close` (thrown), or `close` ended this request.
  'aborted', // The load's signal aborted during this request.
  'address-refused', // The host has a private address, and `refusePrivateAddresses` is on.
  'name-not-resolved', // DNS has no address for the host.
  'connection-refused', // Nothing listens on the URL's port.
  'connect-timeout', // No connection opened within ten seconds, DNS and TLS included.
  'connection-failed', // No connection opened, for a reason without its own code; see `cause`.
  'tls-failed', // The certificate's authority (give yours as `tls.ca`), name or date is wrong, or the TLS version.
  'protocol-unavailable', // The server speaks no HTTP version that `protocol` allows; `auto` takes both.
  'connection-lost', // The connection ended before the response or in its body, also on the retry.
  'malformed-response', // The response is not valid HTTP; some faults are [tolerated](#tolerated-faults).
  'length-mismatch', // The connection ended before the body reached its Content-Length.
  'out-of-step', // The body may be another URL's ([why](#another-order)); over `h2` this cannot happen.
  'headers-too-large', // A response has more than 256 KiB of header fields, as in Chromium.
  'too-many-interim-responses', // The server sent more than 20 1xx responses to one request.
  'response-timeout', // No response began within `timeouts.responseMs` of being next on its connection.
  'resource-timeout', // The response was not complete in half of `timeouts.pageMs`, or 60 s if longer.
  'page-timeout', // The page was not complete in `timeouts.pageMs`; the record has what arrived.
  'too-slow', // Fewer than 500 bytes of the body arrived in 10 s.
  'body-too-large', // The body exceeds `limits.maxResourceBytes`, before or after decoding.
  'page-too-large', // All bodies of the page exceed four times `limits.maxResourceBytes`.
  'coding-unsupported', // The response has a content coding that was not requested and cannot be decoded.
  'coding-broken', // The encoded body is truncated or corrupt.
  'too-many-codings', // The response has more than two nested content codings.
  'too-many-redirects', // More than ten redirects were followed (20 in `createFetch`).
  'redirect-loop', // A redirect leads back to a URL of its chain; often a cookie is missing.
  'invalid-redirect', // A redirect's Location is no URL, or `fetch` has `redirect: 'error'`.
  'too-many-references', // The page names more than 5,000 resources; the rest is not fetched.
  'unsupported-scheme', // A redirect leads to a URL that is neither http nor https.
  'http-status', // The status is 4xx, 5xx or above; the body was read. `createFetch` fails above 599.
] as const;

export type LoaderErrorCode = (typeof loaderErrorCodes)[number];

/** The error that the loader throws; a failed resource's `error` is made of one. `cause` is the underlying error. */
export class LoaderError extends Error {
  readonly code: LoaderErrorCode;
  /** The option that `invalid-option` is about, as the message names it: `timeouts.pageMs`. */
  readonly option: string | null;
  /** What is wrong with that option, in words: `must be a number from 0 to 2, not 7`. */
  readonly reason: string | null;

  constructor(
    code: LoaderErrorCode,
    message: string,
    options?: { cause?: unknown; option?: string | undefined; reason?: string | undefined },
  ) {
    super(message, options);
    this.name = 'LoaderError';
    this.code = code;
    this.option = options?.option ?? null;
    this.reason = options?.reason ?? null;
  }
}

/**
 * Throws the error of an invalid option, with `sentence` as its message.
 * @throws LoaderError `invalid-option`
 */
export function invalidOption(sentence: string, option?: string, reason?: string): never {
  throw new LoaderError('invalid-option', sentence, { option, reason });
}
