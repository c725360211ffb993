// Explains faults of TLS in one sentence: of a connection, with names and dates and the remedy, and of certificate
// authorities that the user gives. Adding an authority is suggested only where the authority is unknown.

import { X509Certificate } from 'node:crypto';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { LoaderError } from '../../errors.ts';

/** Protocols offered by ALPN. */
export type Offered = 'http/1.1' | 'h2' | 'either';

export interface TlsAttempt {
  origin: URL;
  offered: Offered;
  /** The server's certificate; null: none was received. */
  certificate: PeerCertificate | null;
  /** Wall clock, ms since the epoch. */
  nowMs: number;
}

const selfSigned = new Set(['DEPTH_ZERO_SELF_SIGNED_CERT']);
const unknownAuthority = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
const notTls = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_HTTP_REQUEST',
]);
const olderTls = new Set(['ERR_SSL_UNSUPPORTED_PROTOCOL', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION']);
const noCommonCipher = new Set([
  'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
  'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
  'ERR_SSL_NO_CIPHERS_AVAILABLE',
]);
const noCommonProtocol = new Set([
  'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
  'ERR_SSL_TLSV13_ALERT_NO_APPLICATION_PROTOCOL',
]);

const mostNames = 3;
const mostNameCharacters = 100;

/** @param error An error of node:tls, whose code may be OpenSSL's. */
export function explainTlsFailure(
  error: Error & { code?: string },
  attempt: TlsAttempt,
): LoaderError {
  const { origin, offered, certificate } = attempt;
  const { host, hostname } = origin;
  const code = error.code ?? '';
  const failed = (message: string) => new LoaderError('tls-failed', message, { cause: error });
  const theirs = `the certificate of ${host}`;
  if (code === 'CERT_HAS_EXPIRED') return failed(expired(theirs, attempt));
  if (code === 'CERT_NOT_YET_VALID') return failed(notYetValid(theirs, attempt));
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = namesOf(certificate);
    return failed(`${theirs} is for ${names}, not for ${hostname}: check the URL, or the server`);
  }
  if (selfSigned.has(code)) {
    return failed(
      `${theirs} is signed by itself, and by no authority: if it is the right one, give it as an authority (tls.ca)${otherNames(attempt)}`,
    );
  }
  if (unknownAuthority.has(code)) {
    const issuer = printed(certificate?.issuer?.CN ?? certificate?.issuer?.O ?? '');
    const by = issuer === '' ? 'an authority that is not known' : `"${issuer}", which is not known`;
    return failed(
      `${theirs} comes from ${by}: give the certificate of that authority (tls.ca)${otherNames(attempt)}`,
    );
  }
  if (notTls.has(code)) {
    return failed(`${host} does not speak TLS: try http://${host}/`);
  }
  if (olderTls.has(code)) {
    return failed(
      `${host} speaks no TLS of version 1.2 or later: have the server updated; older versions are not safe`,
    );
  }
  if (code === 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED') {
    return failed(`${host} wants a certificate of the client, and the loader has none to show`);
  }
  if (noCommonCipher.has(code)) {
    return failed(
      `${host} found no cipher or key in common, or wants a certificate of the client: check the server's TLS settings`,
    );
  }
  if (noCommonProtocol.has(code)) {
    const message = `${host} speaks none of the protocols offered (ALPN: ${alpnNames[offered]}): ${wayOut[offered]}`;
    return new LoaderError('protocol-unavailable', message, { cause: error });
  }
  return failed(`no TLS with ${host}: ${reason(error)} (${code || error.name})`);
}

const alpnNames: Record<Offered, string> = {
  'http/1.1': 'http/1.1',
  h2: 'h2, http/1.1',
  either: 'h2, http/1.1',
};

const wayOut: Record<Offered, string> = {
  'http/1.1': 'use protocol h2 or auto',
  h2: 'it cannot be loaded over TCP',
  either: 'it cannot be loaded over TCP',
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

/** node:tls checks names last, so an untrusted certificate for another host is reported with both faults. */
function otherNames({ origin: { hostname }, certificate }: TlsAttempt): string {
  if (certificate === null) return '';
  const isOther = checkServerIdentity(hostname.replace(/^\[|\]$/g, ''), certificate) !== undefined;
  return isOther ? `; also, it is for ${namesOf(certificate)}, not for ${hostname}` : '';
}

/** The names of a certificate: `a.example, b.example and 7 more`. */
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

/** Text from the server as one line that is safe to print in a terminal. */
function printed(text: string | string[]): string {
  return String([text].flat()[0] ?? '')
    .slice(0, mostNameCharacters)
    .replace(/[^\x20-\x7e\u00a1-\u02ff]/g, '?');
}

/** OpenSSL's messages are lists separated by colons: `error:0A000410:SSL routines:...:reason:file:line:`. */
function reason({ message }: Error): string {
  const parts = /error:[0-9A-F]+:[^:]*:[^:]*:([^:]+)/.exec(message);
  return (parts?.[1] ?? message).trim();
}

/** A certificate in PEM, including the older labels that OpenSSL accepts. */
const certificateBlock = /-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----.*?-----END \1-----/gs;

/**
 * TLS ignores an authority that it cannot parse and then rejects every server as unknown, so they are parsed in advance.
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
