// The redirects of one page. Each redirecting row gets its target, or the reason why it is not followed. Each redirect
// is followed once, even if its response is received again. A loop is a URL that is already in the chain when no cookie
// was learned since its request: a login may well return to the page where it began.

import type { LoaderError } from '../errors.ts';
import type { Cookies } from '../request/cookies.ts';
import { isRedirectStatus, locationOf, redirectTarget } from '../response/redirect.ts';
import type { Resource } from './resource.ts';

export class Redirects {
  readonly #most: number;
  readonly #cookies: Pick<Cookies, 'learned'>;
  readonly #followed = new Map<Resource, string>();
  /** For each resource, the number of cookies that the loader had learned when it requested the resource. */
  readonly #learned = new Map<Resource, number>();

  /** @param most Limit on redirects per reference. */
  constructor(most: number, cookies: Pick<Cookies, 'learned'>) {
    this.#most = most;
    this.#cookies = cookies;
  }

  requested(resource: Resource): void {
    this.#learned.set(resource, this.#cookies.learned);
  }

  /**
   * Follows the response of a resource if it is a redirect.
   * @param chain The redirect chain, including this resource.
   * @param stopped The error that stopped the load; null: the load continues.
   * @param ask Requests the target.
   * @returns Whether the redirect was followed, now or after an earlier response.
   */
  follow(
    resource: Resource,
    chain: Resource[],
    stopped: LoaderError | null,
    ask: (target: URL) => void,
  ): boolean {
    const { row } = resource;
    if (!isRedirectStatus(resource.status) || row.error !== null) return false;
    const { learned } = this.#cookies;
    const same = chain.filter((hop) => this.#learned.get(hop) === learned);
    const answered = same.map((hop) => hop.row.url);
    const limits = { hops: chain.length, maxRedirects: this.#most, answered };
    try {
      const target = redirectTarget(locationOf(resource.headers), row, limits);
      if (target === null) return false;
      row.redirectUrl = target.href;
      if (target.href === this.#followed.get(resource)) return true;
      if (stopped !== null) throw stopped;
      this.#followed.set(resource, target.href);
      ask(target);
      return true;
    } catch (error) {
      const { code, message } = error as LoaderError;
      row.error = { code, message };
      return false;
    }
  }
}
