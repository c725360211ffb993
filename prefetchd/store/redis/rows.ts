// All counters of a Redis, read in small steps while others write, and kept as raw bytes.
//
// The tick of a value shows how recent it is: of a value read twice, the later state counts, and a stream entry is
// applied only to values read before it. Arcs are read before URLs, so the URLs of every arc existed before the
// second scan began, which therefore finds them.

import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import { printsAt } from '../delta-rows.ts';
import { mergedArc } from '../merge.ts';
import { rowColumns } from './columns.ts';
import { deltaOfChunk } from './encoding.ts';
import type { RedisKeys } from './keys.ts';
import type { RedisClient } from './link.ts';
import { RowTable } from './lua/row-table.ts';
import { forEachField } from './scan-keys.ts';
import {
  type ArcValue,
  addAt,
  arcAt,
  type NodeValue,
  nodeValue,
  type RowField,
  recordBytes,
  rowField,
  worth,
  writeArcAt,
} from './values.ts';

export class RedisRows {
  readonly nodes = new Map<string, NodeValue>();
  /** By graph. */
  readonly #tables: RowTable[] = [];
  #nextId = 2 ** 32 - 1;

  static async read(client: RedisClient, keys: RedisKeys): Promise<RedisRows> {
    const rows = new RedisRows();
    await forEachField(client, keys.rows, (field, row) => {
      const { graph, from } = rowField(field);
      rows.#table(graph).set(from, row);
    });
    await forEachField(client, keys.nodes, (url, bytes) => {
      rows.nodes.set(url.toString(), nodeValue(bytes));
    });
    return rows;
  }

  *arcs(): Generator<{ field: RowField; row: Buffer }> {
    for (const [graph, table] of this.#tables.entries()) {
      for (const [from, row] of table.rows()) yield { field: { graph, from }, row };
    }
  }

  /** Apply a stream chunk to the values read before it. @param age age of the store when the chunk was added */
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
        const prints = printsAt(clients, row);
        const its = { era: prints.length === 0 ? 0 : era, seen: seen[row] as number, prints };
        const given = { ...its, count, stretch: 0, tick, rank: rank++ };
        const [source, target] = [ids[from[row] as number], ids[to[row] as number]];
        this.#credit(graph, source as number, { ...given, to: target as number }, age);
      });
    });
  }

  #credit(graph: number, from: number, given: ArcValue, age: number): void {
    const table = this.#table(graph);
    const row = table.row(from);
    const { to, tick, rank } = given;
    let at = 0;
    while (at < row.length && row.readUInt32LE(at) !== to) at += recordBytes;
    const isNew = at === row.length;
    const kept = isNew ? { ...given, count: 0, tick: 0 } : arcAt(row, at);
    // An arc may occur twice in one chunk.
    if (kept.tick > tick || (kept.tick === tick && kept.rank >= rank)) return;
    addAt(kept, given.count, age);
    const merged = { ...mergedArc(kept, given), tick, rank };
    const { stretch, count } = kept;
    const changed = isNew ? Buffer.concat([row, Buffer.alloc(recordBytes)]) : row;
    writeArcAt(changed, at, { ...merged, stretch, count });
    if (isNew) table.set(from, changed);
  }

  /**
   * Columns in the arc order of graph-delta.ts, with at most `maxArcsPerUrl` arcs per URL. Yields to other work
   * meanwhile.
   */
  async columns(
    age: number,
    era: number,
    graphs: number,
    maxArcsPerUrl: number,
  ): Promise<Pick<GraphDelta, 'urls' | 'kinds' | 'accesses' | 'graphs'>> {
    const urlOf = new Map<number, string>();
    for (const [url, { id }] of this.nodes) urlOf.set(id, url);
    const ids = Float64Array.from(urlOf.keys()).sort();
    const urls = Array.from(ids, (id) => urlOf.get(id) as string);
    const nodes = urls.map((url) => this.nodes.get(url) as NodeValue);
    const columns: GraphDelta['graphs'] = [];
    for (let graph = 0; graph < graphs; graph++) {
      columns.push(await rowColumns(ids, this.#table(graph), { age, era, maxArcsPerUrl }));
    }
    return {
      urls,
      kinds: Uint8Array.from(nodes, ({ kind }) => kind),
      accesses: Float64Array.from(nodes, ({ count, stretch }) => worth(count, stretch, age)),
      graphs: columns,
    };
  }

  #table(graph: number): RowTable {
    while (this.#tables.length <= graph) this.#tables.push(new RowTable());
    return this.#tables[graph] as RowTable;
  }

  /** Only found in the stream: its id is unknown, so it gets one that no script assigns yet. */
  #newNode(url: string): NodeValue {
    const node = { id: this.#nextId--, tick: 0, stretch: 0, kind: 0, count: 0 };
    this.nodes.set(url, node);
    return node;
  }
}
