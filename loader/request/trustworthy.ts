// Potentially trustworthy URLs (Secure Contexts 3.1): what they carry was not changed on its way.

/** Whether its origin is one: https, or this machine. */
export function isTrustworthy({ protocol, hostname }: URL): boolean {
  return (
    protocol === 'https:' ||
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}
