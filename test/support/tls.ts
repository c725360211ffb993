// A certificate for tests, made anew each time: it signs itself, so a client trusts it by `ca: cert`.

import { generate } from 'selfsigned';

export interface TestCertificate {
  /** Private key, PEM. */
  readonly key: string;
  /** Certificate for localhost, 127.0.0.1 and ::1, PEM. */
  readonly cert: string;
}

const dayMs = 24 * 60 * 60 * 1000;

export async function makeTestCertificate(): Promise<TestCertificate> {
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
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  return { key: made.private, cert: made.cert };
}
