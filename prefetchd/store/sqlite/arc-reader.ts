// The arcs of one graph, from rows in the order of the URLs they leave, into columns, strongest first. It makes no
// objects: a million rows are read at a start.

import { type ArcColumns, fingerprintsPerArc } from '../../model/delta/graph-delta.ts';
import { DamagedFile } from './failures.ts';

const comma = 44;
const zero = 48;

export class ArcReader {
  readonly #columns: ArcColumns;
  readonly #ids: ReadonlyMap<number, number>;
  readonly #unit: number;
  #end = 0;
  /** The URL whose arcs are being read: these, in the order of rows. */
  #source = -1;
  readonly #order: number[] = [];
  readonly #targets: number[] = [];
  readonly #counts: number[] = [];
  readonly #credited: number[] = [];
  readonly #seen: number[] = [];
  readonly #clients: string[] = [];

  /** @param ids by id in the table: index of the URL. @param unit units per access */
  constructor(arcs: number, ids: ReadonlyMap<number, number>, unit: number) {
    this.#ids = ids;
    this.#unit = unit;
    this.#columns = {
      from: new Uint32Array(arcs),
      to: new Uint32Array(arcs),
      counts: new Float64Array(arcs),
      clients: new Uint16Array(arcs * fingerprintsPerArc),
      seen: new Uint8Array(arcs),
    };
  }

  /** @throws DamagedFile */
  take(source: number, target: number, count: number): void {
    if (source !== this.#source) this.#write();
    this.#source = source;
    const at = this.#order.length;
    this.#order.push(at);
    this.#targets[at] = target;
    this.#counts[at] = count;
  }

  /** The rest of the arc just taken. */
  describe(credited: number, seen: number, clients: string): void {
    const at = this.#order.length - 1;
    this.#credited[at] = credited;
    this.#seen[at] = seen;
    this.#clients[at] = clients;
  }

  /** @throws DamagedFile */
  columns(): ArcColumns {
    this.#write();
    if (this.#end !== this.#columns.from.length) throw new DamagedFile('arcs are missing');
    return this.#columns;
  }

  #write(): void {
    const { from, to, counts, seen } = this.#columns;
    const source = this.#ids.get(this.#source);
    const rank = (one: number, other: number) =>
      (this.#counts[other] as number) - (this.#counts[one] as number) ||
      (this.#credited[other] as number) - (this.#credited[one] as number);
    for (const row of this.#order.sort(rank)) {
      const target = this.#ids.get(this.#targets[row] as number);
      const at = this.#end++;
      if (source === undefined || target === undefined || at >= from.length) {
        throw new DamagedFile('an arc leads nowhere');
      }
      from[at] = source;
      to[at] = target;
      counts[at] = (this.#counts[row] as number) / this.#unit;
      seen[at] = this.#seen[row] as number;
      this.#writeClients(this.#clients[row] as string, at);
    }
    this.#order.length = 0;
  }

  #writeClients(text: string, arc: number): void {
    const column = this.#columns.clients;
    let place = arc * fingerprintsPerArc;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === comma) place++;
      else column[place] = 10 * (column[place] as number) + code - zero;
    }
  }
}
