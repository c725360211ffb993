// What tests and guides change in examples/nginx/nginx.conf, as texts of it and what stands in their place.

import { readFileSync } from 'node:fs';

export type Changes = Readonly<Record<string, string>>;

/** The log as learning.md has it. */
export function formatOfGuide(): Changes {
  const learning = readFileSync(new URL('../../docs/learning.md', import.meta.url), 'utf8');
  const [format] = /log_format visits [^;]*;/.exec(learning) ?? [];
  if (format === undefined) throw new Error('docs/learning.md has no log_format visits');
  return {
    'log_format prefetchd escape=json': `${format} log_format prefetchd escape=json`,
    'prefetchd.log prefetchd if=': 'prefetchd.log visits if=',
  };
}

/** Pages in Link instead of rules, as servers get them that ask `/v1/headers` for each page: Caddy, Traefik. */
export function linkByHeaders(): Changes {
  const asked = `auth_request /_prefetchd/headers; auth_request_set $prefetchd_link $upstream_http_link;`;
  const hints = `location = /_prefetchd/headers { proxy_pass http://prefetchd/v1/headers; }`;
  return {
    'add_header Speculation-Rules $prefetchd_rules;': `add_header Link $prefetchd_link; ${asked}`,
    'location = /_prefetchd/rules {': `${hints} location = /_prefetchd/rules {`,
  };
}
