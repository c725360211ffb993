// Applies the Content Security Policy of the header section and of <meta http-equiv> (CSP 3, 3.1 and 3.3), as far as it
// decides whether a resource is fetched, and whether inline content is used, since that refers to resources, too.

import type { ReferenceKind } from '../reference.ts';

/** The properties of a request by which a Content Security Policy allows or forbids it. */
export interface PolicedRequest {
  kind: ReferenceKind;
  nonce?: string | undefined;
  /** Subresource Integrity metadata of the request, as written. */
  integrity?: string | undefined;
  /** The request is for an object or embed element. */
  isObject?: boolean | undefined;
}

const directiveOf: Partial<Record<ReferenceKind, readonly string[]>> = {
  font: ['font-src'],
  image: ['img-src'],
  icon: ['img-src'],
  manifest: ['manifest-src'],
  media: ['media-src'],
  track: ['media-src'],
  script: ['script-src-elem', 'script-src'],
  stylesheet: ['style-src-elem', 'style-src'],
  fetch: ['connect-src'],
  document: ['frame-src', 'child-src'],
};
const directivesOfInline = {
  script: ['script-src-elem', 'script-src', 'default-src'],
  style: ['style-src-elem', 'style-src', 'default-src'],
  'style attribute': ['style-src-attr', 'style-src', 'default-src'],
};
const ofObjects = ['object-src'];

/** Returns why a resource is not fetched. @param directive Directive that forbids it */
export const whyForbidden = (directive: string): string =>
  `the page's policy forbids it: ${directive}`;

/** Longest Content-Security-Policy that is read, characters. */
const longest = 16_384;

export class ContentSecurityPolicy {
  /** The page's Content Security Policies, all of which have to allow a request. */
  #policies: Array<ReadonlyMap<string, readonly string[]>> = [];
  readonly #self: URL;

  /** @param self URL of the document. */
  constructor(self: URL) {
    this.#self = self;
  }

  /** Adds Content Security Policies. @param text One or more policies, separated by commas. */
  add(text: string): void {
    for (const policy of text.slice(0, longest).split(',')) {
      const directives = new Map<string, readonly string[]>();
      for (const directive of policy.split(';')) {
        const [name, ...sources] = directive.trim().split(/[\t\n\f\r ]+/);
        const key = name?.toLowerCase() ?? '';
        if (key !== '' && !directives.has(key)) directives.set(key, sources);
      }
      if (directives.size > 0) this.#policies.push(directives);
    }
  }

  /** Returns a copy for a nested document, which may add policies (HTML 7.4.5, "clone a policy container"). */
  copy(): ContentSecurityPolicy {
    const copy = new ContentSecurityPolicy(this.#self);
    copy.#policies = [...this.#policies];
    return copy;
  }

  /** Returns the directive that forbids the request; null if it is allowed. */
  forbids(url: string, request: PolicedRequest): string | null {
    const { kind, isObject = false } = request;
    // Policies are about requests; for a `connection` (preconnect), only a connection is opened.
    if (this.#policies.length === 0 || kind === 'connection') return null;
    const target = new URL(url);
    for (const policy of this.#policies) {
      const names = [...(isObject ? ofObjects : (directiveOf[kind] ?? [])), 'default-src'];
      const name = names.find((each) => policy.has(each));
      if (name === undefined) continue;
      if (!this.#allows(policy.get(name) ?? [], target, request)) return name;
    }
    return null;
  }

  /** Whether the policies allow <base> to set this URL (CSP 3, 6.3.1). */
  allowsBase(url: URL): boolean {
    return this.#policies.every((policy) => {
      const sources = policy.get('base-uri');
      return sources === undefined || sources.some((source) => this.#matches(source, url));
    });
  }

  /**
   * Whether inline content, such as the text of a script element, is allowed (CSP 3, 6.7.3.3). Its hash is not
   * computed: if a policy names hashes, one of them is assumed to match.
   * @param nonce Nonce of the element with the content
   */
  allowsInline(kind: keyof typeof directivesOfInline, nonce: string | undefined): boolean {
    const names = directivesOfInline[kind];
    return this.#policies.every((policy) => {
      const name = names.find((each) => policy.has(each));
      const sources = (name === undefined ? undefined : policy.get(name)) ?? ["'unsafe-inline'"];
      if (kind !== 'style attribute' && nonce && sources.includes(`'nonce-${nonce}'`)) return true;
      if (sources.some((source) => /^'sha\d+-/i.test(source))) return true;
      const isStrict = sources.some((source) => /^'(?:nonce-|strict-dynamic')/i.test(source));
      return !isStrict && sources.some((source) => /^'unsafe-inline'$/i.test(source));
    });
  }

  #allows(
    sources: readonly string[],
    url: URL,
    { kind, nonce, integrity = '' }: PolicedRequest,
  ): boolean {
    const mayHaveNonce = kind === 'script' || kind === 'stylesheet';
    if (mayHaveNonce && nonce && sources.includes(`'nonce-${nonce}'`)) return true;
    if (kind === 'script' && hasAllHashes(sources, integrity)) return true;
    // Host sources do not apply where 'strict-dynamic' is given (CSP 3, 6.7.1.1).
    if (kind === 'script' && sources.some((source) => /^'strict-dynamic'$/i.test(source))) {
      return false;
    }
    return sources.some((source) => this.#matches(source, url));
  }

  /** Implements "does url match expression in origin with redirect count" (CSP 3, 6.7.2.7). */
  #matches(source: string, url: URL): boolean {
    const word = source.toLowerCase();
    if (word === '*') return /^https?:$/.test(url.protocol);
    if (word === "'self'") return isUpgradeOf(url, this.#self) && url.host === this.#self.host;
    const scheme = /^([a-z][a-z0-9+.-]*):$/.exec(word)?.[1];
    if (scheme !== undefined) return matchesScheme(url, `${scheme}:`);
    const parts =
      /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*|(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::(\d+|\*))?(\/.*)?$/i.exec(
        source,
      );
    if (parts === null) return false;
    const [, ownScheme, host = '', port, path] = parts;
    const protocol = ownScheme === undefined ? this.#self.protocol : `${ownScheme.toLowerCase()}:`;
    return (
      matchesScheme(url, protocol) &&
      matchesHost(url.hostname, host.toLowerCase()) &&
      matchesPort(url, port) &&
      matchesPath(url.pathname, path)
    );
  }
}

const hash = /^sha(?:256|384|512)-/;

/** Implements "bypass due to integrity match" (CSP 3, 6.7.1.1). */
function hasAllHashes(sources: readonly string[], integrity: string): boolean {
  const hashes = integrity.split(/[\t\n\f\r ]+/).filter((word) => hash.test(word));
  return (
    hashes.length > 0 && hashes.every((each) => sources.includes(`'${each.replace(/\?.*/, '')}'`))
  );
}

const matchesScheme = ({ protocol }: URL, wanted: string): boolean =>
  protocol === wanted || (wanted === 'http:' && protocol === 'https:');

const isUpgradeOf = (url: URL, self: URL): boolean => matchesScheme(url, self.protocol);

const matchesHost = (hostname: string, wanted: string): boolean =>
  wanted === '*' ||
  (wanted.startsWith('*.') ? hostname.endsWith(wanted.slice(1)) : hostname === wanted);

function matchesPort(url: URL, wanted: string | undefined): boolean {
  if (wanted === '*') return true;
  const usual = url.protocol === 'https:' ? '443' : '80';
  const port = url.port || usual;
  // A policy's source with port 80 also matches a URL with port 443.
  return wanted === undefined
    ? port === usual
    : port === wanted || (wanted === '80' && port === '443');
}

/** Whether a path matches; a pattern that ends with a slash matches every path below it. */
function matchesPath(pathname: string, wanted: string | undefined): boolean {
  if (wanted === undefined || wanted === '/') return true;
  return wanted.endsWith('/') ? pathname.startsWith(wanted) : pathname === wanted;
}
