// Certificates with something wrong, and a sound one.

import { generate } from 'selfsigned';

const dayMs = 24 * 60 * 60 * 1000;

export interface Certificate {
  key: string;
  cert: string;
}

export async function certificate(fault: 'none' | 'expired' | 'wrong name'): Promise<Certificate> {
  const now = Date.now();
  const made = await generate([{ name: 'commonName', value: 'test' }], {
    keyType: 'ec',
    notBeforeDate: new Date(now - 10 * dayMs),
    notAfterDate: new Date(fault === 'expired' ? now - dayMs : now + dayMs),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      {
        name: 'subjectAltName',
        altNames:
          fault === 'wrong name'
            ? [{ type: 2, value: 'elsewhere.example' }]
            : [
                { type: 2, value: 'localhost' },
                { type: 7, ip: '127.0.0.1' },
              ],
      },
    ],
  });
  return { key: made.private, cert: made.cert };
}
