// A certificate for tests, made anew each time: it signs itself, so a client trusts it by `ca: cert`.

import { generate } from 'selfsigned';

export interface TestCertificate {
  /** Private key, PEM. */
  readonly key: string;
  /** Certificate for localhost, 127.0.0.1, ::1 and what else was asked for, PEM. */
  readonly cert: string;
}

const dayMs = 24 * 60 * 60 * 1000;

/** @param addresses IP addresses beside those of this machine. */
export async function makeTestCertificate(
  addresses: readonly string[] = [],
): Promise<TestCertificate> {
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    // A little in the past: clocks of the two sides need not agree.
    notBeforeDate: new Date(Date.now() - dayMs),
    notAfterDate: new Date(Date.now() + dayMs),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          ...['127.0.0.1', '::1', ...addresses].map((ip) => ({ type: 7 as const, ip })),
        ],
      },
    ],
  });
  return { key: made.private, cert: made.cert };
}
