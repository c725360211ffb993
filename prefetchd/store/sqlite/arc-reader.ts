// Reads the arcs of one graph into columns, from rows ordered by the URL that they leave and by strength. It creates no
// object per row, because a million rows may be read at a start.

import { type ArcColumns, fingerprintsPerArc } from '../../model/delta/graph-delta.ts';
import { DamagedFile } from './failures.ts';

const comma = 44;
const zero = 48;

export class ArcReader {
  readonly #columns: ArcColumns;
  readonly #ids: ReadonlyMap<number, number>;
  readonly #unit: number;
  #end = 0;

  /** @param ids maps ids in the table to indexes of URLs. @param unit units per access */
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

  /** Adds the next row. @throws DamagedFile */
  addRow(source: number, target: number, count: number, seen: number, clients: string): void {
    const columns = this.#columns;
    const [from, to] = [this.#ids.get(source), this.#ids.get(target)];
    const at = this.#end++;
    if (from === undefined || to === undefined || at >= columns.from.length) {
      throw new DamagedFile('an arc leads nowhere');
    }
    columns.from[at] = from;
    columns.to[at] = to;
    columns.counts[at] = count / this.#unit;
    columns.seen[at] = seen;
    this.#writeClients(clients, at);
  }

  /** @throws DamagedFile */
  columns(): ArcColumns {
    if (this.#end !== this.#columns.from.length) throw new DamagedFile('arcs are missing');
    return this.#columns;
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
