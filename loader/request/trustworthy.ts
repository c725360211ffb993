// Potentially trustworthy URLs (Secure Contexts 3.1): their data cannot be changed in transit.

/** Whether the URL's origin is potentially trustworthy: it uses https, or is this machine. */
export function isTrustworthy({ protocol, hostname }: URL): boolean {
  return (
    protocol === 'https:' ||
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}
