// The redirects of one page: each is noted in its row, with its target or with why it leads nowhere, and is
// followed once, though its response may come again.

import type { LoaderError } from '../errors.ts';
import { isRedirectStatus, redirectTarget } from '../response/redirect.ts';
import type { Resource } from './resource.ts';

export class Redirects {
  readonly #most: number;
  readonly #followed = new Map<Resource, string>();

  /** @param most hops behind one reference. */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * @param chain URLs that led here, this one included.
   * @param stopped why nothing is asked for any more; null: the load goes on.
   * @param ask asks for the target.
   * @returns whether it leads on, now or since an earlier response.
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
      const target = redirectTarget(resource.header('location'), row, chain, limits);
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
