// Whether a page's Content-Security-Policy lets it run a script of its own origin that posts there (CSP 3, 6.1, 6.7).

/**
 * The nonce that the script element needs; '': none; null: some policy does not allow it.
 * @param policies values of the field, each a list of policies
 * @param host of the page
 */
export function nonceFor(policies: readonly string[], host: string): string | null {
  const nonces = new Set<string>();
  for (const policy of policies.flatMap((list) => list.split(','))) {
    const directives = new Map<string, string[]>();
    for (const directive of policy.split(';')) {
      const [name = '', ...sources] = directive.trim().split(/\s+/);
      if (!directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), sources);
    }
    const sandbox = directives.get('sandbox');
    if (sandbox !== undefined && !sandbox.includes('allow-scripts')) return null;
    const rest = directives.get('default-src');
    const connect = directives.get('connect-src') ?? rest;
    if (connect !== undefined && !allows(connect, host)) return null;
    const scripts = directives.get('script-src-elem') ?? directives.get('script-src') ?? rest;
    if (scripts === undefined) continue;
    // 'strict-dynamic' takes everything but nonces and hashes away.
    if (!scripts.includes("'strict-dynamic'") && allows(scripts, host)) continue;
    const [, nonce] = /(?:^| )'nonce-([\w+/-]+={0,2})'(?: |$)/.exec(scripts.join(' ')) ?? [];
    if (nonce === undefined) return null;
    nonces.add(nonce);
  }
  const [nonce = '', ...others] = nonces;
  return others.length === 0 ? nonce : null;
}

function allows(sources: readonly string[], host: string): boolean {
  const own = ["'self'", '*', host, `http://${host}`, `https://${host}`];
  return sources.some((source) => own.includes(source.toLowerCase()));
}
