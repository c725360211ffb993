// Certificates of authorities that a user gives. TLS takes what it cannot read as no authority at all, and then
// every certificate as unknown: so they are read before anything is sent.

/** PEM, also in the older spellings that OpenSSL takes. */
const certificateBlock = /-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----.*?-----END \1-----/gs;

/** @returns what is wrong with it; null: it holds certificates, and all of them can be read. */
export function authorityFault(pem: string | Uint8Array): string | null {
  const text = typeof pem === 'string' ? pem : Buffer.from(pem).toString('latin1');
  const certificates = text.match(certificateBlock);
  if (certificates === null) return 'holds no certificate in PEM (-----BEGIN CERTIFICATE-----)';
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  try {
    for (const certificate of certificates) new X509Certificate(certificate);
    return null;
  } catch (error) {
    return `holds a certificate that cannot be read: ${(error as Error).message}`;
  }
}
