// Which clients use speculation rules. A browser that uses them fetches the document that the Speculation-Rules field
// names; one that does not gets its pages by Link. Until a client has fetched one, Sec-CH-UA tells: only browsers that
// know the rules send it. But some have them switched off: who was sent the field a few times and asked for nothing
// uses Link.
//
// Clients are kept as pseudonyms of this middleware alone: with a remote prefetchd there are no others. Their salt is
// replaced by the first request after a day, and then all are forgotten.

import { LRUCache } from 'lru-cache';
import { prefetchdDefaults } from '../../prefetchd/engine/prefetchd-options.ts';
import { isOver, newSalt, pseudonymiser } from '../../prefetchd/model/salt.ts';

const mostClients = 10_000;
/** Fields sent in vain before a client counts as one that uses no rules. */
const mostInVain = 3;

export class RulesReaders {
  /** Fields sent since the client last asked, by its pseudonym; negative: it has asked. */
  readonly #clients = new LRUCache<string, number>({ max: mostClients });
  readonly #now: () => number;
  #salt;
  #pseudonymOf;

  /** @param now ms since the epoch */
  constructor(now: () => number) {
    this.#now = now;
    this.#salt = newSalt(now());
    this.#pseudonymOf = pseudonymiser(this.#salt);
  }

  /** The client asks for a rules document. */
  asked(client: string | null): void {
    if (client !== null) this.#clients.set(this.#keyOf(client), -1);
  }

  /** A shown page carries the field. */
  sent(client: string | null): void {
    if (client === null) return;
    const key = this.#keyOf(client);
    const inVain = this.#clients.get(key) ?? 0;
    if (inVain >= 0 && inVain < mostInVain) this.#clients.set(key, inVain + 1);
  }

  /** @param isLikely by Sec-CH-UA */
  uses(client: string | null, isLikely: boolean): boolean {
    const inVain = client === null ? 0 : (this.#clients.get(this.#keyOf(client)) ?? 0);
    return inVain < 0 || (isLikely && inVain < mostInVain);
  }

  #keyOf(client: string): string {
    const nowMs = this.#now();
    if (isOver(this.#salt, nowMs, prefetchdDefaults.saltLifeMs)) {
      this.#salt = newSalt(nowMs);
      this.#pseudonymOf = pseudonymiser(this.#salt);
      this.#clients.clear();
    }
    return this.#pseudonymOf(client);
  }
}
