// A store that lives as long as its process: for tests, for several engines in one process, and for a service that
// need not remember. It has a row for each URL; rows are merged by the same rules as in every store (merge.ts).

import { PrefetchdError, type PrefetchdErrorCode } from '../errors.ts';
import {
  type ArcColumns,
  fingerprintsPerArc,
  type GraphDelta,
  mergedSeen,
  neverNext,
} from '../model/delta/graph-delta.ts';
import { isOver, newSalt, type Salt } from '../model/salt.ts';
import { DeltaRows } from './delta-rows.ts';
import { ageingAt, type DecayState, leastAccesses, mostExponent, unitOf } from './forward-decay.ts';
import type { GraphStore, StoreIdentity } from './graph-store.ts';
import { type KeptArc, mergeArcs } from './merge.ts';
import { checkSamePredictor } from './same-predictor.ts';
import {
  checkStoreOptions,
  isTooMuch,
  type StoreOptions,
  type StoreSettings,
} from './store-options.ts';
import { strongest } from './strongest.ts';

interface UrlRow {
  kind: number;
  accesses: number;
  /** Arcs of each graph. */
  arcs: KeptArc<string>[][];
}

type KeptIdentity = StoreIdentity & { graphs: number };

/** The stored data. */
export class MemoryContent {
  identity: KeptIdentity | null = null;
  ageing: DecayState = { asOfMs: 0, exponent: 0 };
  lastEra = 0;
  salt: Salt | null = null;
  rows = new Map<string, UrlRow>();
  arcs = 0;
}

export interface MemoryGraphStoreOptions extends StoreOptions {
  /** Stored data to share with another store. */
  content?: MemoryContent;
}

export class MemoryGraphStore implements GraphStore {
  readonly isShared = false;
  readonly name = 'memory';
  readonly #options: StoreSettings;
  readonly #content: MemoryContent;
  #isClosed = false;

  /** @throws PrefetchdError `invalid-option` */
  constructor(options: MemoryGraphStoreOptions = {}) {
    this.#options = checkStoreOptions(options);
    this.#content = options.content ?? new MemoryContent();
  }

  async identity(): Promise<StoreIdentity | null> {
    this.#checkOpen('store-unreadable');
    if (this.#content.identity === null) return null;
    const { predictor, window } = this.#content.identity;
    return { predictor, window };
  }

  async load(nowMs: number): Promise<GraphDelta | null> {
    this.#checkOpen('store-unreadable');
    if (this.#content.identity === null) return null;
    const worth = unitOf(ageingAt(this.#content.ageing, nowMs, this.#options.halfLifeMs));
    return this.#columns(this.#content.identity, worth);
  }

  async add(delta: GraphDelta, nowMs: number): Promise<GraphDelta[]> {
    this.#checkOpen('store-unwritable');
    const rows = new DeltaRows(delta);
    const { predictor, window, urls, graphs } = delta;
    if (this.#content.identity === null) this.#content.ageing = { asOfMs: nowMs, exponent: 0 };
    else checkSamePredictor(this.name, this.#content.identity, delta);
    this.#content.identity = { predictor, window, graphs: graphs.length };
    this.#content.ageing = ageingAt(this.#content.ageing, nowMs, this.#options.halfLifeMs);
    if (delta.era !== 0) this.#content.lastEra = delta.era;
    const unit = unitOf(this.#content.ageing);
    urls.forEach((url, index) => {
      const row = this.#row(url, graphs.length);
      row.kind = delta.kinds[index] as number;
      row.accesses += (delta.accesses[index] as number) * unit;
      row.arcs = row.arcs.map((kept, graph) => {
        const given = rows
          .arcs(index, graph, unit)
          .map((arc) => ({ ...arc, to: urls[arc.to] as string }));
        const merged = mergeArcs(kept, given, this.#options.maxArcsPerUrl);
        this.#content.arcs += merged.length - kept.length;
        return merged;
      });
    });
    this.#tidy(this.#content.identity);
    return [];
  }

  async salt(nowMs: number, lifeMs: number, own?: Salt): Promise<Salt> {
    this.#checkOpen('store-unwritable');
    if (this.#content.salt === null) this.#content.salt = own ?? newSalt(nowMs);
    else if (isOver(this.#content.salt, nowMs, lifeMs)) this.#content.salt = newSalt(nowMs);
    return this.#content.salt;
  }

  /** Stored data remains in `content`; further calls are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #checkOpen(code: PrefetchdErrorCode): void {
    if (this.#isClosed) throw new PrefetchdError(code, 'the store memory is closed');
  }

  #row(url: string, graphs: number): UrlRow {
    const found = this.#content.rows.get(url);
    if (found !== undefined) return found;
    const row: UrlRow = { kind: 0, accesses: 0, arcs: Array.from({ length: graphs }, () => []) };
    this.#content.rows.set(url, row);
    return row;
  }

  /** Columns with counts divided by `worth`, the units per access. */
  #columns({ predictor, window, graphs }: StoreIdentity & { graphs: number }, worth: number) {
    const era = this.#content.salt?.era ?? this.#content.lastEra;
    const ids = new Map([...this.#content.rows.keys()].map((url, id) => [url, id]));
    const rows = [...this.#content.rows.values()];
    return {
      predictor,
      window,
      era,
      urls: [...ids.keys()],
      kinds: Uint8Array.from(rows, ({ kind }) => kind),
      accesses: Float64Array.from(rows, ({ accesses }) => accesses / worth),
      graphs: Array.from({ length: graphs }, (_, graph): ArcColumns => {
        const arcs = rows.flatMap((row, from) =>
          (row.arcs[graph] ?? []).map((arc) => ({ ...arc, from })),
        );
        const clients = new Uint16Array(arcs.length * fingerprintsPerArc);
        arcs.forEach((arc, at) => {
          if (arc.era === era) clients.set(arc.prints, at * fingerprintsPerArc);
        });
        return {
          from: Uint32Array.from(arcs, (arc) => arc.from),
          to: Uint32Array.from(arcs, (arc) => ids.get(arc.to) as number),
          counts: Float64Array.from(arcs, (arc) => arc.count / worth),
          clients,
          seen: Uint8Array.from(arcs, (arc) =>
            arc.era === era ? arc.seen : mergedSeen(arc.seen, neverNext + arc.prints.length),
          ),
        };
      }),
    };
  }

  /** Drop the weakest URLs and arcs if the store is too large, and rescale to one unit per access. */
  #tidy(identity: KeptIdentity): void {
    const { maxNodes, maxArcs } = this.#options;
    const { graphs } = identity;
    const held = { nodes: this.#content.rows.size, arcs: this.#content.arcs, graphs };
    const isOld = this.#content.ageing.exponent > mostExponent;
    if (!isOld && !isTooMuch(this.#options, held)) return;
    const worth = isOld ? unitOf(this.#content.ageing) : 1;
    const least = isOld ? leastAccesses : 0;
    const stays = strongest(this.#columns(identity, worth), {
      maxNodes,
      maxArcs: maxArcs * graphs,
      least,
    });
    const next = Array.from({ length: graphs }, () => 0);
    this.#content.arcs = 0;
    const kept = [...this.#content.rows].map(([url, row]): [string, UrlRow] => {
      const arcs = row.arcs.map((list, graph) => {
        const start = next[graph] as number;
        next[graph] = start + list.length;
        const strong = list.filter((_, at) => stays.arcs[graph]?.[start + at] === 1);
        this.#content.arcs += strong.length;
        return strong.map((arc) => ({ ...arc, count: arc.count / worth }));
      });
      return [url, { ...row, accesses: row.accesses / worth, arcs }];
    });
    this.#content.rows = new Map(kept.filter((_, id) => stays.urls[id] === 1));
    if (isOld) this.#content.ageing = { ...this.#content.ageing, exponent: 0 };
  }
}
