// What a HAR leaves out, because people pass it on: the cookies, and fields that may carry a secret. Of a request,
// these are all fields that neither the loader nor a browser sends by itself, as users put tokens into fields of any
// name. Of a response, these are all fields that no standard or usual tool names. URLs stay as they are.

import type { HeaderPair } from '../../http/header-pairs.ts';

type Fields = { requestHeaders: HeaderPair[]; responseHeaders: HeaderPair[] };

export const leftOut =
  "cookies and fields that may be secret are left out; --har-secrets (toHar's option secrets) keeps them";

const ownRequestField =
  /^(?:accept(?:-encoding|-language)?|available-dictionary|cache-control|connection|dictionary-id|get-all|hold-line|host|if-[a-z-]+|origin|pragma|priority|range|referer|sec-(?:ch|fetch|gpc|purpose)[a-z-]*|upgrade-insecure-requests|user-agent)$/i;

const knownResponseField =
  /^(?:accept-(?:ch|ranges)|access-control-[a-z-]+|age|allow|alt-svc|cache-control|cdn-cache-control|cache-status|clear-site-data|connection|content-[a-z-]+|critical-ch|cross-origin-[a-z-]+|date|etag|expires|get-all|hold-line|keep-alive|last-modified|link|location|no-vary-search|origin-agent-cluster|permissions-policy|pragma|prefetch-hints|priority|proxy-status|referrer-policy|refresh|retry-after|server|server-timing|speculation-rules|strict-transport-security|supports-loading-mode|timing-allow-origin|trailer|transfer-encoding|upgrade|use-as-dictionary|vary|via|warning|x-cache|x-content-type-options|x-frame-options|x-powered-by|x-robots-tag|x-xss-protection)$/i;

/** The same record without the secret fields. */
export function withoutSecrets<Row extends Fields>(row: Row): Row {
  return {
    ...row,
    requestHeaders: row.requestHeaders.filter(([name]) => ownRequestField.test(name)),
    responseHeaders: row.responseHeaders.filter(([name]) => knownResponseField.test(name)),
  };
}
