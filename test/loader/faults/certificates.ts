// Certificates with something wrong, and a sound one.

import { generate } from 'selfsigned';

const dayMs = 24 * 60 * 60 * 1000;

export interface Certificate {
  key: string;
  cert: string;
}

export type Fault = 'none' | 'expired' | 'early' | 'wrong name' | 'many names' | 'issued';

export async function certificate(fault: Fault): Promise<Certificate> {
  const now = Date.now();
  const authority = fault === 'issued' ? await authorityOf("Nobody's Authority") : undefined;
  const made = await generate([{ name: 'commonName', value: 'test' }], {
    keyType: 'ec',
    ...(authority && { ca: authority }),
    notBeforeDate: new Date(fault === 'early' ? now + dayMs / 2 : now - 10 * dayMs),
    notAfterDate: new Date(fault === 'expired' ? now - dayMs : now + dayMs),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      {
        name: 'subjectAltName',
        altNames:
          fault === 'wrong name'
            ? [{ type: 2, value: 'elsewhere.example' }]
            : fault === 'many names'
              ? Array.from({ length: 300 }, (_, index) => ({ type: 2, value: `a${index}.example` }))
              : [
                  { type: 2, value: 'localhost' },
                  { type: 7, ip: '127.0.0.1' },
                ],
      },
    ],
  });
  return { key: made.private, cert: made.cert };
}

async function authorityOf(name: string): Promise<{ key: string; cert: string }> {
  const made = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
  });
  return { key: made.private, cert: made.cert };
}
