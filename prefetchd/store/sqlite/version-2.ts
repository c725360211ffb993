// Converts the format of earlier versions, with one row for each URL, into today's tables. A record, little endian:
//
//   0 f64 accesses   12 u32 length of the URL, top bits: its kind
//   8 u32 id         16 u32 arcs of each graph, then the arcs of all graphs, strongest first, 24 bytes each:
//
//   0 f64 count   8 u32 u32 six fingerprints of ten bits, and `seen` in the top bits   16 u32 target   20 u32 era

import type { DatabaseSync } from 'node:sqlite';
import { DamagedFile } from './failures.ts';

const bytesPerArc = 24;

/** Converts the file; to be called in a transaction. @param tables SQL that creates today's tables @throws
 *  DamagedFile */
export function fromVersion2(database: DatabaseSync, tables: string): void {
  database.exec(`ALTER TABLE meta RENAME TO meta2; ${tables}`);
  const had = (name: string) =>
    database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined;
  const graphs = (database.prepare('SELECT graphs FROM meta2').get()?.graphs ?? 0) as number;
  database.exec(`
    UPDATE meta SET (predictor, window, graphs, era, as_of_ms, exponent) =
      (SELECT predictor, window, graphs, era, as_of_ms, exponent FROM meta2) WHERE (SELECT 1 FROM meta2);
    UPDATE meta SET (salt, salt_made_ms) = (SELECT bytes, made_ms FROM salt);`);
  if (had('forgetting'))
    database.exec('UPDATE meta SET forgetting = (SELECT mark FROM forgetting)');
  const url = database.prepare('INSERT INTO url VALUES (?, ?, ?, ?)');
  const arc = database.prepare('INSERT INTO arc VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  for (const row of database.prepare('SELECT id, url, record FROM urls').iterate()) {
    const [id, record] = [row.id as number, row.record as Uint8Array];
    const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
    let at = 16 + 4 * graphs;
    const lengths = Array.from({ length: graphs }, (_, n) =>
      at <= view.byteLength ? view.getUint32(16 + 4 * n, true) : 0,
    );
    const arcs = lengths.reduce((sum, length) => sum + length, 0);
    if (view.byteLength !== at + arcs * bytesPerArc)
      throw new DamagedFile(`the row of ${row.url} is damaged`);
    const kind = view.getUint32(12, true) >>> 30;
    url.run(id, row.url as string, kind & 2 ? 1 : kind && 2, view.getFloat64(0, true));
    lengths.forEach((length, graph) => {
      for (let n = 0; n < length; n++, at += bytesPerArc) {
        const [low, high] = [view.getUint32(at + 8, true), view.getUint32(at + 12, true)];
        const prints = [low, high].flatMap((word) =>
          [0, 10, 20].map((bits) => (word >>> bits) & 1023),
        );
        const clients = prints.filter((print) => print !== 0).join();
        const seen = (low >>> 30) + ((high >>> 30) << 2);
        const [count, target, era] = [
          view.getFloat64(at, true),
          view.getUint32(at + 16, true),
          view.getUint32(at + 20, true),
        ];
        // Equal arcs keep their order.
        arc.run(id, graph, target, count, clients, era, seen, -n);
      }
    });
  }
  for (const table of ['meta2', 'urls', 'salt', 'forgetting', 'serving']) {
    database.exec(`DROP TABLE IF EXISTS ${table}`);
  }
}
