// Rewrites the absolute URLs in texts and header fields of a recorded page. This machine serves each of its origins at
// an address of its own, and any client is to ask there: a browser, curl, the loader.

export type Rewrite = (text: string) => string;

/** Makes a function that rewrites the URLs in a text, also those without scheme (`//cdn.example/`) and with escaped
 *  slashes, as JSON has them. `addresses` maps origins (`https://cdn.example`) to others (`http://127.0.0.1:8081`). */
export function rewriter(addresses: ReadonlyMap<string, string>): Rewrite {
  const hosts = new Set([...addresses.keys()].map((origin) => new URL(origin).host));
  const host = [...hosts].map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const url = new RegExp(
    String.raw`(?:(https?):|(?<![:\w]))(//|\\/\\/)(${host})(?![\w.:@-])`,
    'gi',
  );
  return (text) =>
    text.replace(url, (all, scheme: string | undefined, between: string, host: string) => {
      const schemes = scheme === undefined ? ['https', 'http'] : [scheme, 'https', 'http'];
      const origins = schemes.map((each) => `${each}://${host}`.toLowerCase());
      const found = origins.find((origin) => addresses.has(origin));
      if (found === undefined) return all;
      const { protocol, host: place } = new URL(addresses.get(found) as string);
      return `${scheme === undefined ? '' : protocol}${between}${place}`;
    });
}

const rewritten = /^text\/|[/+](?:json|xml|javascript|ecmascript|x-javascript)(?:;|$)|^image\/svg/i;

/** Returns the body with its URLs rewritten, and HTML without `integrity`, because scripts are rewritten, too. */
export function rewrittenBody(body: Buffer, contentType: string, rewrite: Rewrite): Buffer {
  if (!rewritten.test(contentType)) return body;
  const before = body.toString('latin1');
  const after = rewrite(before);
  const isHtml = /^text\/html|xhtml/i.test(contentType);
  const bare = isHtml ? after.replace(/\sintegrity=(?:"[^"]*"|'[^']*')/gi, '') : after;
  return bare === before ? body : Buffer.from(bare, 'latin1');
}
