// What the guides tell nginx beside examples/nginx/nginx.conf, as texts of it and what stands in their place.

import { readFileSync } from 'node:fs';

export type Changes = Readonly<Record<string, string>>;

const guide = (name: string) =>
  readFileSync(new URL(`../../docs/guides/${name}.md`, import.meta.url), 'utf8');

function statement(name: string, pattern: RegExp): string {
  const [found] = pattern.exec(guide(name)) ?? [];
  if (found === undefined) throw new Error(`docs/guides/${name}.md has nothing like ${pattern}`);
  return found;
}

/** The log as logs.md has it. */
export function formatOfGuide(): Changes {
  const format = statement('logs', /log_format visits [^;]*;/);
  return {
    'log_format prefetchd escape=json': `${format} log_format prefetchd escape=json`,
    'prefetchd.log prefetchd if=': 'prefetchd.log visits if=',
  };
}

/** Speculation rules instead of Link, as nginx.md has them. */
export function rulesOfGuide(): Changes {
  const map = statement('nginx', /map [^`]*\$prefetchd_rules_here \{[^}]*\}/);
  const page = statement('nginx', /auth_request_set +\$prefetchd_rules [^`]*/);
  const rules = statement('nginx', /location = \/v1\/speculation-rules \{[^}]*\}/);
  return {
    'include prefetchd-http.conf;': `${map} include prefetchd-http.conf;`,
    'add_header        Link $prefetchd_link_here;': page,
    'include prefetchd-server.conf;': `${rules} include prefetchd-server.conf;`,
  };
}
