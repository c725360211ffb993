// Maps clients to pseudonyms, under the visitor salt, and to fingerprints, under the fingerprint salt. A visitor
// appears several times in quick succession: its page, its hints, its access, then its images. Hashing each time
// costs more than learning an access, so pseudonyms are cached for a second. They are not cached longer, because
// pseudonyms stored beside their clients are a list of clients.

import { defaultIpv6Prefix, type Ipv6Prefix, visitorAddress } from '../../http/visitor-address.ts';
import { fingerprintOf } from '../model/graph/client-sets.ts';
import { pseudonymiser, type Salt } from '../model/salt.ts';

export interface Pseudonym {
  /** Pseudonym of the first word, the counted address; distinct visitors are counted by it
   *  (model/graph/client-sets.ts). */
  readonly address: string;
  /** `address rest`, or `address` for a client of one word. */
  readonly client: string;
  /** Counts distinct addresses, 1..1023; it has a salt of its own, which lives longer. */
  readonly fingerprint: number;
}

const rememberedMs = 1000;
const keptClients = 4000;

export class Pseudonyms {
  readonly #pseudonymOf: (word: string) => string;
  readonly #fingerprinted: (word: string) => string;
  readonly #ipv6Prefix: Ipv6Prefix;
  readonly #clients = new Map<string, Pseudonym>();
  readonly #words = new Map<string, string>();
  #timer: NodeJS.Timeout | null = null;

  constructor(
    visitorSalt: Salt,
    fingerprintSalt: Salt,
    ipv6Prefix: Ipv6Prefix = defaultIpv6Prefix,
  ) {
    this.#ipv6Prefix = ipv6Prefix;
    this.#pseudonymOf = pseudonymiser(visitorSalt);
    this.#fingerprinted = pseudonymiser(fingerprintSalt);
  }

  /** True if any pseudonym is cached. */
  get remembers(): boolean {
    return this.#timer !== null;
  }

  of(client: string): Pseudonym {
    this.#timer ??= setTimeout(() => this.forget(), rememberedMs).unref();
    let known = this.#clients.get(client);
    if (known === undefined) {
      known = this.#made(client);
      if (this.#clients.size >= keptClients) this.#clients.clear();
      this.#clients.set(client, known);
    }
    return known;
  }

  /** Drops all cached clients. */
  forget(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#clients.clear();
    this.#words.clear();
  }

  #made(client: string): Pseudonym {
    const space = client.indexOf(' ');
    const first = space === -1 ? client : client.slice(0, space);
    const counted = visitorAddress(first, this.#ipv6Prefix);
    const fingerprint = fingerprintOf(this.#fingerprinted(counted));
    const address = this.#wordOf(counted);
    if (space === -1) return { address, client: address, fingerprint };
    return { address, client: `${address} ${this.#wordOf(client.slice(space))}`, fingerprint };
  }

  #wordOf(word: string): string {
    let known = this.#words.get(word);
    if (known === undefined) {
      known = this.#pseudonymOf(word);
      if (this.#words.size >= keptClients) this.#words.clear();
      this.#words.set(word, known);
    }
    return known;
  }
}
