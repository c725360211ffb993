// A store that lives as long as its process, for tests. It has plain objects and no caps but that of a URL, and says
// in the plainest way how additions add up, so the real stores are compared with it.

import { PrefetchdError, type PrefetchdErrorCode } from '../../prefetchd/errors.ts';
import { DeltaBuilder } from '../../prefetchd/model/delta/delta-builder.ts';
import {
  type ArcDelta,
  fingerprintsPerArc,
  type GraphDelta,
  mergedSeen,
  neverNext,
} from '../../prefetchd/model/delta/graph-delta.ts';
import { isOver, newSalt, type Salt } from '../../prefetchd/model/salt.ts';
import { checkAddition } from '../../prefetchd/store/addition.ts';
import {
  ageingAt,
  type DecayState,
  mostExponent,
  unitOf,
} from '../../prefetchd/store/forward-decay.ts';
import type { GraphParts, GraphStore, StoreIdentity } from '../../prefetchd/store/graph-store.ts';
import { checkStoreOptions, type StoreOptions } from '../../prefetchd/store/store-options.ts';

type KeptArc = Omit<ArcDelta, 'from' | 'to'> & { to: string; era: number };

/** The stored data, which several stores may share. */
export class MemoryContent {
  identity: (StoreIdentity & { graphs: number }) | null = null;
  ageing: DecayState = { asOfMs: 0, exponent: 0 };
  era = 0;
  salt: Salt | null = null;
  /** By URL; counts are in units. The arcs of each graph, strongest first. */
  rows = new Map<string, { kind: number; accesses: number; arcs: KeptArc[][] }>();
}

export class MemoryGraphStore implements GraphStore {
  readonly isShared = false;
  readonly name = 'memory';
  readonly #halfLifeMs: number | null;
  readonly #maxArcsPerUrl: number;
  readonly #content: MemoryContent;
  #isClosed = false;

  constructor({ content, ...options }: StoreOptions & { content?: MemoryContent } = {}) {
    const { halfLifeMs, maxArcsPerUrl } = checkStoreOptions(options);
    this.#halfLifeMs = halfLifeMs;
    this.#maxArcsPerUrl = maxArcsPerUrl;
    this.#content = content ?? new MemoryContent();
  }

  async identity(): Promise<StoreIdentity | null> {
    this.#checkOpen('store-unreadable');
    const { identity } = this.#content;
    return identity && { predictor: identity.predictor, window: identity.window };
  }

  async load(nowMs: number, parts: GraphParts): Promise<boolean> {
    this.#checkOpen('store-unreadable');
    const { identity, rows, ageing, salt } = this.#content;
    if (identity === null) return false;
    const unit = unitOf(ageingAt(ageing, nowMs, this.#halfLifeMs));
    const era = salt?.era ?? this.#content.era;
    const built = new DeltaBuilder({ ...identity, era }, identity.graphs);
    for (const [url, { kind, accesses }] of rows)
      built.count(built.url(url, kind), accesses / unit);
    for (const [url, { arcs }] of rows) {
      for (const [graph, row] of arcs.entries()) {
        for (const arc of row) {
          const { clients, seen } = arc.era === era ? arc : endedEra(arc);
          const count = arc.count / unit;
          built.arc(graph, built.url(url, 0), built.url(arc.to, 0), { count, clients, seen });
        }
      }
    }
    const graph = built.delta();
    parts.begin(graph, graph.graphs.length);
    for (const [number, arcs] of graph.graphs.entries()) parts.arcs(number, arcs);
    return true;
  }

  async add(delta: GraphDelta, nowMs: number): Promise<GraphDelta[]> {
    this.#checkOpen('store-unwritable');
    const content = this.#content;
    checkAddition(delta, this.name, content.identity);
    if (content.identity === null) content.ageing = { asOfMs: nowMs, exponent: 0 };
    const { predictor, window, era, graphs } = delta;
    content.identity = { predictor, window, graphs: graphs.length };
    content.ageing = ageingAt(content.ageing, nowMs, this.#halfLifeMs);
    content.era = era || content.era;
    if (content.ageing.exponent > mostExponent) this.#rescale();
    const unit = unitOf(content.ageing);
    const rows = delta.urls.map(({ url, kind, accesses }) => {
      const row = content.rows.get(url) ?? { kind, accesses: 0, arcs: graphs.map(() => []) };
      content.rows.set(url, row);
      row.kind = kind;
      row.accesses += accesses * unit;
      return row;
    });
    for (const [graph, arcs] of graphs.entries()) {
      for (const [from, given] of Map.groupBy(arcs, (arc) => arc.from)) {
        const row = rows[from]?.arcs ?? [];
        const others = new Map((row[graph] ?? []).map((arc) => [arc.to, arc]));
        const credited = new Map<string, KeptArc>();
        for (const { count, clients, seen, ...arc } of given) {
          const to = delta.urls[arc.to]?.url as string;
          const prints = era === 0 ? [] : clients;
          const news = { to, count: count * unit, clients: prints, seen, era };
          const kept = credited.get(to) ?? others.get(to);
          credited.set(to, kept === undefined ? news : merged(kept, news));
          others.delete(to);
        }
        // The sort is stable, so arcs credited last stay ahead of their equals.
        const all = [...credited.values(), ...others.values()];
        all.sort((one, other) => other.count - one.count);
        row[graph] = all.slice(0, this.#maxArcsPerUrl);
      }
    }
    return [];
  }

  async salt(nowMs: number, lifeMs: number, own?: Salt): Promise<Salt> {
    this.#checkOpen('store-unwritable');
    const { salt } = this.#content;
    if (salt === null) this.#content.salt = own ?? newSalt(nowMs);
    else if (isOver(salt, nowMs, lifeMs)) this.#content.salt = newSalt(nowMs);
    return this.#content.salt as Salt;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  /** Back to one unit per access, long before a number is full. */
  #rescale(): void {
    const unit = unitOf(this.#content.ageing);
    for (const row of this.#content.rows.values()) {
      row.accesses /= unit;
      for (const arc of row.arcs.flat()) arc.count /= unit;
    }
    this.#content.ageing.exponent = 0;
  }

  #checkOpen(code: PrefetchdErrorCode): void {
    if (this.#isClosed) throw new PrefetchdError(code, 'the store memory is closed');
  }
}

function merged(kept: KeptArc, given: KeptArc): KeptArc {
  const count = kept.count + given.count;
  const isNew = given.clients.length > 0 && kept.era !== given.era;
  const { clients, seen } = isNew ? endedEra(kept) : kept;
  const union = [...new Set([...clients, ...given.clients])].slice(0, fingerprintsPerArc);
  const era = given.clients.length > 0 ? given.era : kept.era;
  return { to: kept.to, count, clients: union, era, seen: mergedSeen(seen, given.seen) };
}

/** Without the fingerprints of an era that is over, which become a number. */
function endedEra(arc: KeptArc): KeptArc {
  const { length } = arc.clients;
  return { ...arc, clients: [], seen: mergedSeen(arc.seen, neverNext + length) };
}
