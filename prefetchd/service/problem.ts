// Defines error responses of the service: application/problem+json (RFC 9457) with a stable `code`, thrown by handlers.
// The list of codes is closed; docs/protocol.md explains each.

import type { AccessJsonError } from '../wire/access-json.ts';

/** HTTP status and title of each error code. */
export const problems = {
  'invalid-json': [400, 'The body is not JSON'],
  'invalid-request': [400, 'The request is invalid'],
  unauthorized: [401, 'The token is missing or wrong'],
  'host-refused': [403, 'The request is for another host'],
  'cross-site': [403, 'Requests from pages of other sites are refused'],
  'not-found': [404, 'There is no such resource'],
  'no-holdback': [404, 'Nothing is measured'],
  'method-not-allowed': [405, 'The resource does not support this method'],
  'too-large': [413, 'The body is too large'],
  'unsupported-type': [415, 'The body must be JSON in UTF-8'],
  'internal-error': [500, 'The service failed to handle the request'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof problems;

export const problemType = 'application/problem+json';

export class Problem extends Error {
  readonly code: ProblemCode;
  /** Additional header fields of the response. */
  readonly headers: Readonly<Record<string, string>>;
  /** The errors found in the list of accesses that the request's body contains. */
  readonly errors: readonly AccessJsonError[] | undefined;

  constructor(
    code: ProblemCode,
    detail: string,
    more: { headers?: Record<string, string>; errors?: readonly AccessJsonError[] } = {},
  ) {
    super(detail);
    this.name = 'Problem';
    this.code = code;
    this.headers = more.headers ?? {};
    this.errors = more.errors;
  }

  get status(): number {
    return problems[this.code][0];
  }

  toJSON() {
    const { code, status, message: detail, errors } = this;
    return { title: problems[code][1], status, detail, code, ...(errors && { errors }) };
  }
}

/** Refuses a request. @throws Problem `invalid-request` */
export function invalidRequest(detail: string): never {
  throw new Problem('invalid-request', detail);
}

/** Thrown if the client disconnected before it sent everything, so there is nobody to answer. */
export class ClientGone extends Error {}
