// The redirects of one page. The row of each gets its target, or the reason it is not followed. Each is followed
// once, even if its response is received again.

import type { LoaderError } from '../errors.ts';
import { isRedirectStatus, locationOf, redirectTarget } from '../response/redirect.ts';
import type { Resource } from './resource.ts';

export class Redirects {
  readonly #most: number;
  readonly #followed = new Map<Resource, string>();

  /** @param most Redirects per reference. */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * @param chain URLs of the redirect chain, including this one.
   * @param stopped Why the load was stopped; null: it continues.
   * @param ask Requests the target.
   * @returns Whether it was followed, now or after an earlier response.
   */
  follow(
    resource: Resource,
    chain: string[],
    stopped: LoaderError | null,
    ask: (target: URL) => void,
  ): boolean {
    const { row } = resource;
    if (!isRedirectStatus(resource.status) || row.error !== null) return false;
    const limits = { maxRedirects: this.#most, setsCookie: resource.header('set-cookie') !== '' };
    try {
      const target = redirectTarget(locationOf(resource.headers), row, chain, limits);
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
