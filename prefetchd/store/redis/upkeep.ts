// What a node does for the store beside adding to it, in the background and one at a time: the weakest go when there is
// too much, and the fingerprints of an era that is over. What fails is tried again when it is found due again.

import { isTooMuch, type StoreOptions } from '../store-options.ts';
import { endEras } from './ended-eras.ts';
import type { ChunkAnswer } from './flow.ts';
import type { RedisKeys } from './keys.ts';
import type { RedisClient, RedisLink } from './link.ts';
import { prune } from './prune.ts';

/** News of the era before may come from any node for so long. */
const lateNewsMs = 60_000;

export class RedisUpkeep {
  readonly #link: RedisLink;
  readonly #keys: RedisKeys;
  readonly #options: Required<StoreOptions>;
  #running: Promise<void> | null = null;
  /** The present one, and since when. */
  #era: { era: number; sinceMs: number; isSwept: boolean } | null = null;

  constructor(link: RedisLink, keys: RedisKeys, options: Required<StoreOptions>) {
    this.#link = link;
    this.#keys = keys;
    this.#options = options;
  }

  /** An addition was answered. */
  added(answers: readonly ChunkAnswer[], graphs: number): void {
    const { nodes, arcs } = answers.at(-1) as ChunkAnswer;
    if (!isTooMuch(this.#options, { nodes, arcs, graphs })) return;
    const { maxNodes, maxArcs } = this.#options;
    this.#run((client) => prune(client, this.#keys, { maxNodes, maxArcs: maxArcs * graphs }));
  }

  /** The present era; told again and again. */
  inEra(era: number, nowMs: number): void {
    if (this.#era?.era !== era) this.#era = { era, sinceMs: nowMs, isSwept: false };
    const present = this.#era;
    if (present.isSwept || Math.abs(nowMs - present.sinceMs) < lateNewsMs) return;
    this.#run(async (client) => {
      present.isSwept = await endEras(client, this.#keys, era);
    });
  }

  /** Nothing is under way. */
  async settled(): Promise<void> {
    await this.#running;
  }

  #run(work: (client: RedisClient) => Promise<unknown>): void {
    this.#running ??= this.#link
      .call('store-unwritable', work)
      .then(
        () => {},
        () => {},
      )
      .finally(() => {
        this.#running = null;
      });
  }
}
