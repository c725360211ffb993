// Validates certificate authorities supplied by the user. TLS ignores a certificate that it cannot parse and then
// rejects every server as unknown, so the certificates are parsed in advance.

/** A certificate in PEM, including the older labels that OpenSSL accepts. */
const certificateBlock = /-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----.*?-----END \1-----/gs;

/** @returns What is wrong with the PEM text; null: it contains certificates and all of them can be parsed. */
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
