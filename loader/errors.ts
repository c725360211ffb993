// The stable codes of load failures. Misuse throws a LoaderError; a network fault is recorded in the row of its
// resource with one of the same codes. docs/errors.md is made of the comments (`npm run options`).

export const loaderErrorCodes = [
  'invalid-option', // A wrong name or value; thrown. `option` and `reason` say which and why.
  'invalid-url', // The page's URL is not absolute http(s), or has credentials; thrown.
  'cache-unusable', // Its folder or `cache.db` cannot be used or created; thrown.
  'loader-closed', // A call came after `close` (thrown), or `close` ended this request.
  'aborted', // The load's signal aborted during this request.
  'address-refused', // A private address in any spelling, and `refusePrivateAddresses` is on.
  'name-not-resolved', // DNS has no address for the host.
  'connection-refused', // Nothing listens on that port.
  'connect-timeout', // No connection within ten seconds, DNS and TLS included.
  'connection-failed', // For another reason; `cause` has the system's code.
  'tls-failed', // Authority (give yours as `tls.ca`), name, date or version is wrong.
  'protocol-unavailable', // The server speaks another one; `protocol: 'auto'` takes both.
  'connection-lost', // It ended before the response or in its body, also on the retry.
  'malformed-response', // Not HTTP; some faults are [tolerated](#tolerated-faults).
  'length-mismatch', // The connection ended before the body reached its Content-Length.
  'out-of-step', // Bodies may be of other URLs ([why](#another-order)); `h2` is safe.
  'headers-too-large', // More than 256 KiB of fields (64 KiB over HTTP/2), as in Chromium.
  'too-many-interim-responses', // More than 20 1xx responses.
  'response-timeout', // No response in `timeouts.responseMs` of being first in line.
  'resource-timeout', // Not complete in half of `timeouts.pageMs`, or 60 s if longer.
  'page-timeout', // Not complete in `timeouts.pageMs`; the record has what arrived.
  'too-slow', // Fewer than 500 bytes of the body arrived in 10 s.
  'body-too-large', // Above `limits.maxResourceBytes`, before or after decoding.
  'page-too-large', // All bodies exceed four times `limits.maxResourceBytes`.
  'coding-unsupported', // A content coding that was not requested and cannot be decoded.
  'coding-broken', // The encoded body is truncated or corrupt.
  'too-many-codings', // More than two nested content codings.
  'too-many-redirects', // More than ten (20 in `createFetch`).
  'redirect-loop', // It leads back to a URL of its chain; often a cookie is missing.
  'invalid-redirect', // Location is no URL, or `fetch` has `redirect: 'error'`.
  'too-many-references', // More than 5,000 resources; the rest is not fetched.
  'unsupported-scheme', // A redirect to a URL that is neither http nor https.
  'http-status', // 4xx, 5xx or above; the body was read. `createFetch` fails above 599.
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
