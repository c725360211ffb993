// What this node gives: the numbers of its chunks, and what it gave last.
//
// A delta that is given again, having failed, has the numbers it had. What was given last may be lost with Redis
// before any other node heard of it: it is kept to be given again. Each flush of the others takes it in, so
// a minute is long; and there is a bound, for nodes that learn much.

import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import { checkDelta } from '../delta-rows.ts';
import { type Chunk, flowOf } from './flow.ts';

const longestMs = 60_000;
const mostBytes = 1024 * 1024;

export class RedisOutbox {
  /** Number of the next chunk. */
  #next = 1;
  /** Of deltas that are not known to have arrived. */
  readonly #unsettled = new WeakMap<GraphDelta, Chunk[]>();
  #recent: Chunk[] = [];
  #bytes = 0;

  /** What was given last, in the order in which it was given; each by itself, since those before may be gone. */
  get recent(): Chunk[] {
    return this.#recent.map((chunk) => ({ ...chunk, isFirst: true }));
  }

  /** @throws PrefetchdError `invalid-option` for columns that do not fit together */
  flowOf(delta: GraphDelta, nowMs: number): Chunk[] {
    const given = this.#unsettled.get(delta);
    if (given !== undefined) return given;
    checkDelta(delta); // what is wrong with it is found before anything is sent
    const flow = flowOf(delta, nowMs, this.#next);
    this.#next += flow.length;
    this.#unsettled.set(delta, flow);
    return flow;
  }

  /** It arrived: given again, the same object counts again. */
  arrived(delta: GraphDelta, nowMs: number): void {
    for (const chunk of this.#unsettled.get(delta) ?? []) {
      this.#recent.push(chunk);
      this.#bytes += chunk.bytes.length;
    }
    while (this.#isTooMuch(nowMs)) this.#bytes -= this.#recent.shift()?.bytes.length ?? 0;
    this.drop(delta);
  }

  /** It is not given again. */
  drop(delta: GraphDelta): void {
    this.#unsettled.delete(delta);
  }

  #isTooMuch(nowMs: number): boolean {
    const [oldest] = this.#recent;
    if (oldest === undefined) return false;
    return this.#bytes > mostBytes || Math.abs(nowMs - oldest.nowMs) > longestMs;
  }
}
