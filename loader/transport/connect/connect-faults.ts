// Explains in one sentence why a connection could not be opened, with host names, dates of certificates and the remedy,
// and what is wrong with authorities that the user gives. To add one is the advice only if the server's is unknown.

import { X509Certificate } from 'node:crypto';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { LoaderError, type LoaderErrorCode } from '../../errors.ts';

/** The protocols that a connection offers by ALPN; `either`: both. */
export type Alpn = 'http/1.1' | 'h2' | 'either';

export interface TlsAttempt {
  origin: URL;
  offered: Alpn;
  /** The server's certificate; null: none was received. */
  certificate: PeerCertificate | null;
  /** Time of the failure by this machine's clock, which may be wrong, ms since the epoch. */
  nowMs: number;
}

const mostNames = 3;
const mostNameCharacters = 100;

/** Returns an error whose message names the cause and, where there is one, a remedy, by the system's error code. */
export function explainConnectFailure(
  error: Error & { code?: string },
  attempt: TlsAttempt,
): LoaderError {
  if (error instanceof LoaderError) return error;
  const { origin } = attempt;
  const { host, hostname } = origin;
  const { code = '', message } = error;
  const failed = (kind: LoaderErrorCode, sentence: string) =>
    new LoaderError(kind, sentence, { cause: error });
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'ENODATA') {
    return failed('name-not-resolved', `no address found for ${hostname} (${code})`);
  }
  if (code === 'ECONNREFUSED') {
    return failed('connection-refused', `nothing listens on ${host} (ECONNREFUSED)`);
  }
  if (code === 'ETIMEDOUT' || code === 'UND_ERR_CONNECT_TIMEOUT') {
    return failed('connect-timeout', `${host} did not answer (${code})`);
  }
  if (origin.protocol === 'https:' && !/^E(CONN|HOST|NET|ADDR|PIPE|ACCES)/.test(code)) {
    return explainTlsFailure(error, attempt);
  }
  return failed('connection-failed', `${host}: ${message}`);
}

/**
 * Returns an error that says why TLS failed and what to do about it.
 * @param error An error of node:tls, whose code may be OpenSSL's.
 */
export function explainTlsFailure(
  error: Error & { code?: string },
  attempt: TlsAttempt,
): LoaderError {
  const { code = '' } = error;
  const fault = faults[code]?.(attempt);
  const sentence =
    fault ?? `no TLS with ${attempt.origin.host}: ${reason(error)} (${code || error.name})`;
  const kind =
    fault !== undefined && noCommonProtocol === faults[code]
      ? 'protocol-unavailable'
      : 'tls-failed';
  return new LoaderError(kind, sentence, { cause: error });
}

type Sentence = (attempt: TlsAttempt) => string;

const theirs = ({ origin }: TlsAttempt): string => `the certificate of ${origin.host}`;

const selfSigned: Sentence = (attempt) =>
  `${theirs(attempt)} is signed by itself, and by no authority: if it is the right one, give it as an authority (tls.ca, --ca)${otherNames(attempt)}`;

const unknownAuthority: Sentence = (attempt) => {
  const { CN, O } = attempt.certificate?.issuer ?? {};
  const issuer = printed(CN ?? O ?? '');
  const by = issuer === '' ? 'an authority that is not known' : `"${issuer}", which is not known`;
  return `${theirs(attempt)} comes from ${by}: give the certificate of that authority (tls.ca, --ca)${otherNames(attempt)}`;
};

const otherHost: Sentence = (attempt) =>
  `${theirs(attempt)} is for ${namesOf(attempt.certificate)}, not for ${attempt.origin.hostname}: check the URL, or the server`;

const noTls: Sentence = ({ origin: { host } }) => `${host} does not speak TLS: try http://${host}/`;

const olderTls: Sentence = ({ origin: { host } }) =>
  `${host} speaks no TLS of version 1.2 or later: have the server updated; older versions are not safe`;

const noCommonCipher: Sentence = ({ origin: { host } }) =>
  `${host} found no cipher or key in common, or wants a certificate of the client: check the server's TLS settings`;

const wantsCertificate: Sentence = ({ origin: { host } }) =>
  `${host} wants a certificate of the client, and the loader has none to show`;

const noCommonProtocol: Sentence = ({ origin: { host }, offered }) => {
  const isOne = offered === 'http/1.1';
  const names = isOne ? 'http/1.1' : 'h2, http/1.1';
  const wayOut = isOne ? 'use protocol h2 or auto' : 'it cannot be loaded over TCP';
  return `${host} speaks none of the protocols offered (ALPN: ${names}): ${wayOut}`;
};

/** For each known error code of node:tls or OpenSSL, the sentence that explains it. */
const faults: Partial<Record<string, Sentence>> = {
  CERT_HAS_EXPIRED: (attempt) => expired(theirs(attempt), attempt),
  CERT_NOT_YET_VALID: (attempt) => notYetValid(theirs(attempt), attempt),
  ERR_TLS_CERT_ALTNAME_INVALID: otherHost,
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  ERR_SSL_HTTP_REQUEST: noTls,
  ERR_SSL_UNSUPPORTED_PROTOCOL: olderTls,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: olderTls,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: wantsCertificate,
  'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE': noCommonCipher,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: noCommonCipher,
  ERR_SSL_NO_CIPHERS_AVAILABLE: noCommonCipher,
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: noCommonProtocol,
  ERR_SSL_TLSV13_ALERT_NO_APPLICATION_PROTOCOL: noCommonProtocol,
};

function expired(theirs: string, { certificate, nowMs }: TlsAttempt): string {
  const until = Date.parse(certificate?.valid_to ?? '');
  if (!(until < nowMs)) {
    return `a certificate between ${theirs.slice('the '.length)} and its authority has expired: the server has to send new ones`;
  }
  return `${theirs} expired on ${day(until)}: the server needs a new one`;
}

function notYetValid(theirs: string, { certificate, nowMs }: TlsAttempt): string {
  const from = Date.parse(certificate?.valid_from ?? '');
  const since = from > nowMs ? `not valid before ${day(from)}` : 'not valid yet';
  return `${theirs} is ${since}: check the clock of this machine, which says ${day(nowMs)}`;
}

const day = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

/**
 * Returns the words that add to another TLS fault that the certificate is for other hosts, too; '' if it is not.
 * node:tls checks host names last, so after another fault it does not report this one.
 */
function otherNames({ origin: { hostname }, certificate }: TlsAttempt): string {
  if (certificate === null) return '';
  const isOther = checkServerIdentity(hostname.replace(/^\[|\]$/g, ''), certificate) !== undefined;
  return isOther ? `; also, it is for ${namesOf(certificate)}, not for ${hostname}` : '';
}

/** Lists the host names of a certificate, as `a.example, b.example and 7 more`. */
function namesOf(certificate: PeerCertificate | null): string {
  const listed = (certificate?.subjectaltname ?? '')
    .split(', ')
    .flatMap((entry) => /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1] ?? []);
  const names = listed.length > 0 ? listed : [certificate?.subject?.CN ?? ''].flat();
  const shown = names
    .slice(0, mostNames)
    .map(printed)
    .filter((name) => name !== '');
  if (shown.length === 0) return 'no name at all';
  const more = names.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Returns a text from the server shortened to one line that is safe to print in a terminal. */
function printed(text: string | string[]): string {
  return String([text].flat()[0] ?? '')
    .slice(0, mostNameCharacters)
    .replace(/[^\x20-\x7e\u00a1-\u02ff]/g, '?');
}

/** Returns the reason in OpenSSL's message, a list with colons: `error:0A000410:SSL routines:...:reason:file:line:`. */
function reason({ message }: Error): string {
  const parts = /error:[0-9A-F]+:[^:]*:[^:]*:([^:]+)/.exec(message);
  return (parts?.[1] ?? message).trim();
}

/** Matches a certificate in PEM, also with the older labels that OpenSSL accepts. */
const certificateBlock = /-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----.*?-----END \1-----/gs;

/**
 * Parses certificate authorities in advance, as TLS ignores one that it cannot parse and then rejects every server.
 * @returns What is wrong with the PEM text; null: it contains certificates and all of them can be parsed.
 */
export function authorityFault(pem: string | Uint8Array): string | null {
  const text = typeof pem === 'string' ? pem : Buffer.from(pem).toString('latin1');
  const certificates = text.match(certificateBlock);
  if (certificates === null) return 'holds no certificate in PEM (-----BEGIN CERTIFICATE-----)';
  try {
    for (const certificate of certificates) new X509Certificate(certificate);
    return null;
  } catch (error) {
    return `holds a certificate that cannot be read: ${(error as Error).message}`;
  }
}
