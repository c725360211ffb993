// Fields in which only a proxy speaks: who asks, from where, by which protocol and certificate, for which host and URL.
// From a stranger they are claims that the site may believe. Spellings count as one where a server reads them as one:
// CGI turns what is neither letter nor digit into `_` (RFC 3875 4.1.18).

const claims = [
  '(?:.+-)?forwarded(?:-.*)?',
  '(?:.+-)?(?:client|connection|real|connecting|remote|originating|original|external|proxyuser|user|source|socket|viewer)-?(?:ip|ipv6|addr|address)',
  'x-original-(?:for|proto)',
  'x-azure-socketip',
  '(?:x-)?(?:remote|auth-request|authenticated)-user',
  'x-ms-client-principal(?:-.*)?',
  '(?:.+-)?(?:ssl|tls)-(?:client|cert)(?:-.*)?',
  '(?:x-)?(?:arr-)?client-?(?:cert|verify|s?-?dn)(?:-.*)?',
  '(?:x-arr-ssl|cf-visitor|https)',
  'x-(?:http-)?host(?:-override)?',
  'x-(?:url-)?scheme',
  'front-end-https',
  // The target for frameworks behind IIS, and in rules for nginx.
  'x-(?:ms-)?(?:original|rewrite)-(?:url|uri|host|method)',
  'x-script-name',
  // CGI reads it as HTTP_PROXY, where a program's own requests go.
  'proxy',
].join('|');
const claim = new RegExp(`^(?:http-)?(?:${claims})$`);

function normalForm(lower: string): string {
  return lower.replace(/[^a-z0-9]/g, '-');
}

/** @param lower name of a field in lower case */
export function isProxyClaim(lower: string): boolean {
  return claim.test(normalForm(lower));
}

/** False for `x_forwarded_for`: a proxy replaces the real name, and may pass a stranger's other spelling. */
export function isUsualSpelling(lower: string): boolean {
  return normalForm(lower) === lower;
}
