// Converts a file of version 2, with one row for each URL, into the present tables. A record, little endian:
//
//   0 f64 accesses   12 u32 length of the URL, top bits: its kind
//   8 u32 id         16 u32 arcs of each graph, then the arcs of all graphs, strongest first, 24 bytes each:
//
//   0 f64 count   8 u32 u32 six fingerprints of ten bits, and `seen` in the top bits   16 u32 target   20 u32 era

import type { DatabaseSync } from 'node:sqlite';
import { Damage } from '../../../process/sqlite-file.ts';

const bytesPerArc = 24;

/** Converts a store's file of version 2, in the caller's transaction. @param tables SQL that creates the present tables
 *  @param readMeta Reads the row of the table `meta` @throws Damage */
export function fromVersion2(
  database: DatabaseSync,
  tables: string,
  readMeta: (database: DatabaseSync) => { graphs: number; era: number },
): void {
  database.exec(`ALTER TABLE meta RENAME TO meta2; ${tables}
    UPDATE meta SET (predictor, window, graphs, era, as_of_ms, exponent) =
      (SELECT predictor, window, graphs, era, as_of_ms, exponent FROM meta2) WHERE (SELECT 1 FROM meta2);
    UPDATE meta SET (salt, salt_made_ms) = (SELECT bytes, made_ms FROM salt);`);
  const { graphs, era } = readMeta(database);
  const addUrl = database.prepare('INSERT INTO url VALUES (?, ?, ?, ?)');
  const addArc = database.prepare('INSERT INTO arc VALUES (?, ?, ?, ?, ?, ?, ?)');
  for (const row of database.prepare('SELECT id, url, record FROM urls').iterate()) {
    const { id, url, record } = row as unknown as { id: number; url: string; record: Uint8Array };
    const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
    const word = (at: number) => (at + 4 > view.byteLength ? 0 : view.getUint32(at, true));
    let at = 16 + 4 * graphs;
    const lengths = Array.from({ length: graphs }, (_, graph) => word(16 + 4 * graph));
    const arcs = lengths.reduce((sum, length) => sum + length, 0);
    if (view.byteLength !== at + arcs * bytesPerArc)
      throw new Damage(`the row of ${url} is damaged`);
    const kind = word(12) >>> 30;
    addUrl.run(id, url, kind & 2 ? 1 : kind && 2, view.getFloat64(0, true));
    for (const [graph, length] of lengths.entries()) {
      for (let n = 0; n < length; n++, at += bytesPerArc) {
        const words = [word(at + 8), word(at + 12)] as const;
        const prints = words
          .flatMap((bits) => [bits, bits >>> 10, bits >>> 20].map((it) => it & 1023))
          .filter((print) => print !== 0);
        const seen = (words[0] >>> 30) + ((words[1] >>> 30) << 2);
        // Fingerprints of another salt are no longer comparable, so only their number is kept.
        const isPresent = word(at + 20) === era;
        const most = isPresent ? seen : (seen & 8) | Math.max(seen & 7, prints.length);
        const clients = isPresent ? prints.join() : '';
        // The last value, for the column `credited`, falls from arc to arc, so arcs with equal counts keep their order.
        addArc.run(id, graph, word(at + 16), view.getFloat64(at, true), clients, most, -n);
      }
    }
  }
  for (const table of ['meta2', 'urls', 'salt', 'forgetting', 'serving']) {
    database.exec(`DROP TABLE IF EXISTS ${table}`);
  }
}
