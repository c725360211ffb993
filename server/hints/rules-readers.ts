// Which clients use speculation rules. A browser that uses them fetches the document that the Speculation-Rules field
// names; one that does not gets its pages by Link. Until a client has fetched one, Sec-CH-UA tells: only browsers that
// know the rules send it. But some have them switched off: who was sent the field a few times and asked for nothing
// uses Link.

import { LRUCache } from 'lru-cache';

const mostClients = 10_000;
/** Fields sent in vain before a client counts as one that uses no rules. */
const mostInVain = 3;

export class RulesReaders {
  /** Fields sent since the client last asked; negative: it has asked. */
  readonly #clients = new LRUCache<string, number>({ max: mostClients });

  /** The client asks for a rules document. */
  asked(client: string | null): void {
    if (client !== null) this.#clients.set(client, -1);
  }

  /** A shown page carries the field. */
  sent(client: string | null): void {
    if (client === null) return;
    const inVain = this.#clients.get(client) ?? 0;
    if (inVain >= 0 && inVain < mostInVain) this.#clients.set(client, inVain + 1);
  }

  /** @param isLikely by Sec-CH-UA */
  uses(client: string | null, isLikely: boolean): boolean {
    const inVain = client === null ? 0 : (this.#clients.get(client) ?? 0);
    return inVain < 0 || (isLikely && inVain < mostInVain);
  }
}
