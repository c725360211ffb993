// What a HAR leaves out, because people pass it on: the cookies, and fields that may carry a secret. Of a request,
// these are all fields that neither the loader nor a browser sends by itself, as users put tokens into fields of any
// name. Of a response, these are the fields whose names speak of a secret. URLs stay as they are.

import type { HeaderPair } from '../../http/header-pairs.ts';

type Fields = { requestHeaders: HeaderPair[]; responseHeaders: HeaderPair[] };

export const leftOut =
  "cookies and fields that may be secret are left out; --har-secrets (toHar's option secrets) keeps them";

const ownRequestField =
  /^(?:accept(?:-encoding|-language)?|available-dictionary|cache-control|connection|dictionary-id|get-all|hold-line|host|if-[a-z-]+|origin|pragma|priority|range|referer|sec-(?:ch|fetch|gpc|purpose)[a-z-]*|upgrade-insecure-requests|user-agent)$/i;

const secretResponseField =
  /cookie|token|secret|session|csrf|xsrf|passw|credential|api-?key|authoriz|authentication-info/i;

/** The same record without the secret fields. */
export function withoutSecrets<Row extends Fields>(row: Row): Row {
  return {
    ...row,
    requestHeaders: row.requestHeaders.filter(([name]) => ownRequestField.test(name)),
    responseHeaders: row.responseHeaders.filter(([name]) => !secretResponseField.test(name)),
  };
}
