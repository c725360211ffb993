// A certificate for tests, made anew each time: it signs itself, so a client trusts it by `ca: cert`.

import { generate } from 'selfsigned';

export interface TestCertificate {
  /** Private key, PEM. */
  readonly key: string;
  /** Certificate for localhost, 127.0.0.1, ::1 and what else was asked for, PEM. */
  readonly cert: string;
}

export interface TestCertificateOptions {
  /** In place of the names and addresses of this machine. */
  readonly names?: readonly string[];
  /** Days from now. */
  readonly from?: number;
  readonly until?: number;
  /** Of an authority of this name, which is thrown away. */
  readonly authority?: string;
}

const dayMs = 24 * 60 * 60 * 1000;
const basic = { name: 'basicConstraints', cA: true, critical: true } as const;

/** @param addresses IP addresses beside those of this machine. */
export async function makeTestCertificate(
  addresses: readonly string[] = [],
  // A little in the past: clocks of the two sides need not agree.
  { names, from = -1, until = 1, authority }: TestCertificateOptions = {},
): Promise<TestCertificate> {
  const ca =
    authority &&
    (await generate([{ name: 'commonName', value: authority }], {
      keyType: 'ec',
      extensions: [basic],
    }));
  const own = ['127.0.0.1', '::1', ...addresses].map((ip) => ({ type: 7 as const, ip }));
  const altNames = (names ?? ['localhost']).map((value) => ({ type: 2 as const, value }));
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    ...(ca && { ca: { key: ca.private, cert: ca.cert } }),
    notBeforeDate: new Date(Date.now() + from * dayMs),
    notAfterDate: new Date(Date.now() + until * dayMs),
    extensions: [
      basic,
      { name: 'subjectAltName', altNames: [...altNames, ...(names === undefined ? own : [])] },
    ],
  });
  return { key: made.private, cert: made.cert };
}
