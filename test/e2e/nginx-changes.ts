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

/** Pages in Link instead of rules, as nginx.md has it. */
export function linkOfGuide(): Changes {
  const pass = statement('nginx', /proxy_pass http:\/\/prefetchd\/v1\/headers;/);
  return {
    'proxy_pass http://prefetchd/v1/headers?pages=rules;': pass,
    'add_header        Speculation-Rules $prefetchd_rules_here;': '',
  };
}
