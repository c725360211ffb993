// The version of the package, and its name as a product in User-Agent (RFC 9110, 10.1.5).

/** The version of the package; a test compares it with package.json. */
export const version = '0.1.0';

export const product = `loadahead/${version.split('.').slice(0, 2).join('.')}`;
