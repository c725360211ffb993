// Puts upstream failures into a status and a sentence for the client. The sentence says what happened but not where:
// internal addresses and names stay internal (`log` receives the error itself).

export interface Failure {
  readonly status: number;
  readonly detail: string;
}

const server = 'The server behind this proxy';

const byCode: Record<string, string> = {
  ECONNREFUSED: 'refused the connection.',
  ENOENT: 'refused the connection.',
  ECONNRESET: 'closed the connection before it answered.',
  EPIPE: 'closed the connection before it answered.',
  EHOSTUNREACH: 'cannot be reached.',
  ENETUNREACH: 'cannot be reached.',
  ENOTFOUND: 'cannot be found by its name.',
  EAI_AGAIN: 'cannot be found by its name.',
  HPE_HEADER_OVERFLOW: 'sent header fields that are too large.',
};

export const slowConnect: Failure = {
  status: 504,
  detail: `${server} did not accept the connection in time.`,
};
export const busyUpstream: Failure = {
  status: 504,
  detail: `${server} was busy with other requests.`,
};
export const tooManyTunnels: Failure = { status: 503, detail: 'Too many websockets are open.' };
export const slowResponse: Failure = { status: 504, detail: `${server} did not answer in time.` };
export const noResponse: Failure = {
  status: 502,
  detail: `${server} sent an invalid HTTP response.`,
};

export const unsafeRequest: Failure = {
  status: 500,
  detail: 'The request could not be forwarded safely.',
};

export function failureOf(error: unknown): Failure {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  if (code?.startsWith('HPE_') && code !== 'HPE_HEADER_OVERFLOW') return noResponse;
  if (code === 'ETIMEDOUT') return slowConnect;
  const isTls = code !== undefined && /CERT|SSL|TLS|SIGNATURE|ISSUER/.test(code);
  const what = isTls ? 'has no valid certificate.' : (byCode[code ?? ''] ?? 'cannot be reached.');
  return { status: 502, detail: `${server} ${what}` };
}
