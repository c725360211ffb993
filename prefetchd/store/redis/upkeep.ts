// Background maintenance of the store, one job at a time: pruning when it is too large, and removing fingerprints of
// an ended era. A job that fails runs again when it is next found due.

import { isTooMuch, type StoreOptions } from '../store-options.ts';
import { endEras } from './ended-eras.ts';
import type { ChunkAnswer } from './flow.ts';
import type { RedisKeys } from './keys.ts';
import type { RedisClient, RedisLink } from './link.ts';
import { prune } from './prune.ts';

/** How long chunks of the previous era may still arrive from any node. */
const lateNewsMs = 60_000;

export class RedisUpkeep {
  readonly #link: RedisLink;
  readonly #keys: RedisKeys;
  readonly #options: Required<StoreOptions>;
  #running: Promise<void> | null = null;
  /** The present era and when it was first seen. */
  #era: { era: number; sinceMs: number; isSwept: boolean } | null = null;

  constructor(link: RedisLink, keys: RedisKeys, options: Required<StoreOptions>) {
    this.#link = link;
    this.#keys = keys;
    this.#options = options;
  }

  /** Call after each addition. */
  added(answers: readonly ChunkAnswer[], graphs: number): void {
    const { nodes, arcs } = answers.at(-1) as ChunkAnswer;
    if (!isTooMuch(this.#options, { nodes, arcs, graphs })) return;
    const { maxNodes, maxArcs } = this.#options;
    this.#run((client) => prune(client, this.#keys, { maxNodes, maxArcs: maxArcs * graphs }));
  }

  /** Call regularly with the present era. */
  inEra(era: number, nowMs: number): void {
    if (this.#era?.era !== era) this.#era = { era, sinceMs: nowMs, isSwept: false };
    const present = this.#era;
    if (present.isSwept || Math.abs(nowMs - present.sinceMs) < lateNewsMs) return;
    this.#run(async (client) => {
      present.isSwept = await endEras(client, this.#keys, era);
    });
  }

  /** Resolves when no job is running. */
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
