// All counters of a Redis, read in small steps while others go on writing, and put into columns.
//
// A value tells by its tick how far it is, so one that was read twice is taken in its later state, and an
// entry of the stream is applied to just those values that were read before it. Arcs are read before URLs:
// every arc's URLs then were there from the beginning of the second scan, which therefore finds them.

import { type ArcColumns, fingerprintsPerArc, type GraphDelta } from '../graph-delta.ts';
import { mergedArc } from './merge.ts';
import type { RedisKeys } from './redis-keys.ts';
import type { RedisClient } from './redis-link.ts';
import {
  type ArcField,
  type ArcValue,
  addAt,
  arcField,
  arcFieldText,
  arcValue,
  type NodeValue,
  nodeValue,
  worth,
} from './redis-values.ts';
import { deltaOfChunk, emptyArcs } from './redis-wire.ts';

const fieldsPerStep = 2000;

type Arc = ArcField & ArcValue;

export class RedisRows {
  readonly nodes = new Map<string, NodeValue>();
  /** By field. */
  readonly arcs = new Map<string, Arc>();
  #nextId = 2 ** 32 - 1;

  static async read(client: RedisClient, keys: RedisKeys): Promise<RedisRows> {
    const rows = new RedisRows();
    await forEachField(client, keys.arcs, (field, bytes) => {
      rows.arcs.set(field.toString('latin1'), { ...arcField(field), ...arcValue(bytes) });
    });
    await forEachField(client, keys.nodes, (url, bytes) => {
      rows.nodes.set(url.toString(), nodeValue(bytes));
    });
    return rows;
  }

  /** Bring what was read before a chunk came up to date; `age` is that of the store when it came. */
  apply(chunk: Buffer, tick: number, age: number): void {
    const { era, urls, kinds, accesses, graphs } = deltaOfChunk(chunk);
    const ids = urls.map((url, place) => {
      const node = this.nodes.get(url) ?? this.#newNode(url);
      if (node.tick < tick) {
        node.tick = tick;
        node.kind = kinds[place] as number;
        addAt(node, accesses[place] as number, age);
      }
      return node.id;
    });
    let rank = 0;
    graphs.forEach(({ from, to, counts, clients, seen }, graph) => {
      counts.forEach((count, row) => {
        const field = {
          graph,
          from: ids[from[row] as number] as number,
          to: ids[to[row] as number] as number,
        };
        const prints = printsOf(clients, row);
        const its = { era: prints.length === 0 ? 0 : era, seen: seen[row] as number, prints };
        this.#credit({ ...field, ...its, count, stretch: 0, tick, rank: rank++ }, age);
      });
    });
  }

  #credit(given: Arc, age: number): void {
    const to = arcFieldText(given);
    const { tick, rank, graph, from } = given;
    const kept = this.arcs.get(to) ?? { ...given, count: 0, tick: 0 };
    // An arc may stand twice in one chunk.
    if (kept.tick > tick || (kept.tick === tick && kept.rank >= rank)) return;
    addAt(kept, given.count, age);
    const { prints, era, seen } = mergedArc({ ...kept, to }, { ...given, to });
    const { count, stretch } = kept;
    const field = { graph, from, to: given.to };
    this.arcs.set(to, { ...field, tick, rank, stretch, count, era, seen, prints: [...prints] });
  }

  /** Columns, with the arcs in the order that graph-delta.ts asks for, at most so many from each URL. */
  columns(
    age: number,
    era: number,
    graphs: number,
    maxArcsPerUrl: number,
  ): Pick<GraphDelta, 'urls' | 'kinds' | 'accesses' | 'graphs'> {
    const nodes = [...this.nodes].sort(([, left], [, right]) => left.id - right.id);
    const places = new Map(nodes.map(([, { id }], place) => [id, place]));
    const rows = Array.from({ length: graphs }, () => nodes.map((): Arc[] => []));
    for (const arc of this.arcs.values()) {
      const from = places.get(arc.from);
      if (from !== undefined && places.has(arc.to)) rows[arc.graph]?.[from]?.push(arc);
    }
    const count = (arc: Arc) => worth(arc.count, arc.stretch, age);
    const byStrength = (left: Arc, right: Arc) =>
      count(right) - count(left) || right.tick - left.tick || left.rank - right.rank;
    return {
      urls: nodes.map(([url]) => url),
      kinds: Uint8Array.from(nodes, ([, { kind }]) => kind),
      accesses: Float64Array.from(nodes, ([, node]) => worth(node.count, node.stretch, age)),
      graphs: rows.map((byNode): ArcColumns => {
        const sorted = byNode.map((arcs) => arcs.sort(byStrength).slice(0, maxArcsPerUrl));
        const columns = emptyArcs(sorted.reduce((sum, { length }) => sum + length, 0));
        let at = 0;
        sorted.forEach((arcs, from) => {
          for (const arc of arcs) {
            columns.from[at] = from;
            columns.to[at] = places.get(arc.to) as number;
            columns.counts[at] = count(arc);
            columns.seen[at] = arc.era === era ? arc.seen : Math.max(arc.seen, arc.prints.length);
            if (arc.era === era) columns.clients.set(arc.prints, at * fingerprintsPerArc);
            at++;
          }
        });
        return columns;
      }),
    };
  }

  /** Found in the stream alone; its id there is unknown, so it is one that no script gives out yet. */
  #newNode(url: string): NodeValue {
    const node = { id: this.#nextId--, tick: 0, stretch: 0, kind: 0, count: 0 };
    this.nodes.set(url, node);
    return node;
  }
}

/** @param after each step, before the next one is taken */
export async function forEachField(
  client: RedisClient,
  key: string,
  take: (field: Buffer, value: Buffer) => void,
  after: () => Promise<void> = async () => {},
): Promise<void> {
  const read = (cursor: string | Buffer) =>
    client.hscanBuffer(key, cursor.toString(), 'COUNT', fieldsPerStep);
  let step: ReturnType<typeof read> | null = read('0');
  while (step !== null) {
    const [cursor, found]: [Buffer, Buffer[]] = await step;
    // Redis looks for the next ones while these are taken.
    step = cursor.toString() === '0' ? null : read(cursor);
    step?.catch(() => {}); // it is awaited in the next round, unless a value is damaged
    for (let at = 0; at + 1 < found.length; at += 2) {
      take(found[at] as Buffer, found[at + 1] as Buffer);
    }
    await after();
  }
}

function printsOf(clients: Uint16Array, row: number): number[] {
  const first = row * fingerprintsPerArc;
  return [...clients.subarray(first, first + fingerprintsPerArc)].filter((print) => print !== 0);
}
