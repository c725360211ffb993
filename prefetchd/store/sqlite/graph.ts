// Has the SQL that reads the graph in the tables of an SQLite store, adds to it, prunes it and deletes from it. It runs
// within the caller's transaction. Counts are in units of forward-decay.ts.
//
// `clients` is a list of fingerprints such as `7,1023,3`. Client sets of one era are united; those of an earlier era
// become a number (graph-delta.ts). The arcs that leave one URL have no order in the table, so each has the number of
// its last credit, which decides between equals.

import type { DatabaseSync } from 'node:sqlite';
import { fingerprintsPerArc, type GraphDelta } from '../../model/delta/graph-delta.ts';
import { type Salt, saltOf } from '../../model/salt.ts';
import { checkAddition } from '../addition.ts';
import { ageingAt, mostExponent, unitOf } from '../forward-decay.ts';
import { isForgotten } from '../graph-store.ts';
import type { StoreSettings } from '../store-options.ts';
import { addArc, emptyColumns, type StoredGraph } from './arc-columns.ts';
import { DamagedFile } from './failures.ts';
import { type Meta, readMeta } from './tables.ts';

/** Limit on aged units, because those of a huge count may exceed a double. */
const mostUnits = Number.MAX_VALUE;

/** The value `seen` with the number of fingerprints in it, for rows whose fingerprints are dropped or not shown. */
const seenWithClients = `(seen & 8 | max(seen & 7,
  length(clients) - length(replace(clients, ',', '')) + (clients <> '')))`;

const urlAddition = `
  INSERT INTO url (url, kind, accesses) VALUES (?, ?, ?)
  ON CONFLICT (url) DO UPDATE SET
    kind = excluded.kind, accesses = min(accesses + excluded.accesses, ${mostUnits})
  RETURNING id`;

const arcAddition = `
  INSERT INTO arc VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET
    count = min(count + excluded.count, ${mostUnits}),
    clients = CASE excluded.era
      WHEN 0 THEN clients WHEN era THEN united(clients, excluded.clients) ELSE excluded.clients END,
    seen = seen & excluded.seen & 8 | max(excluded.seen & 7,
      CASE excluded.era WHEN 0 THEN seen WHEN era THEN seen ELSE ${seenWithClients} END & 7),
    era = CASE excluded.era WHEN 0 THEN era ELSE excluded.era END,
    credited = max(credited, excluded.credited)`;

/** Deletes the arcs of a URL beyond the strongest `most`. */
const trimUrl = `
  DELETE FROM arc WHERE source = ? AND graph = ? AND target IN (
    SELECT target FROM arc WHERE source = ? AND graph = ?
    ORDER BY count DESC, credited DESC LIMIT -1 OFFSET ?)`;

const deleteLooseArcs = `
  DELETE FROM arc
  WHERE source NOT IN (SELECT id FROM url) OR target NOT IN (SELECT id FROM url)`;

export const saltIn = ({ salt, saltMadeMs }: Meta): Salt | null =>
  salt === null ? null : saltOf(salt, saltMadeMs);

/** The era of the stored salt; without one, that of the last addition with fingerprints. */
export const presentEra = (meta: Meta): number => saltIn(meta)?.era ?? meta.era;

/** Adds a delta. @param place name of the store @throws PrefetchdError `store-mismatch`, `invalid-option` */
export function addDelta(
  database: DatabaseSync,
  place: string,
  { delta, nowMs, options }: { delta: GraphDelta; nowMs: number; options: StoreSettings },
): void {
  const meta = readMeta(database);
  const { predictor, window, era, urls, graphs } = delta;
  const isFirst = meta.predictor === null;
  checkAddition(delta, place, isFirst ? null : (meta as Meta & { predictor: string }));
  const before = isFirst ? { asOfMs: nowMs, exponent: 0 } : meta;
  const ageing = ageingAt(before, nowMs, options.halfLifeMs);
  if (ageing.exponent > mostExponent) {
    const unit = unitOf(ageing);
    database.prepare('UPDATE url SET accesses = accesses / ?').run(unit);
    database.prepare('UPDATE arc SET count = count / ?').run(unit);
    ageing.exponent = 0;
  }
  const units = (count: number) => Math.min(count * unitOf(ageing), mostUnits);
  const addUrl = database.prepare(urlAddition);
  const ids = urls.map(({ url, kind, accesses }) => {
    return addUrl.get(url.toWellFormed(), kind, units(accesses))?.id as number;
  });
  database.function('united', { deterministic: true }, united);
  const arcStatement = database.prepare(arcAddition);
  const trim = database.prepare(trimUrl);
  let { credits } = meta;
  for (const [graph, arcs] of graphs.entries()) {
    // The first arc of an addition comes first among equal ones.
    credits += arcs.length;
    for (const [at, { from, to, count, clients, seen }] of arcs.entries()) {
      const [source, target] = [ids[from] as number, ids[to] as number];
      const prints = era === 0 ? '' : clients.join();
      const ownEra = prints === '' ? 0 : era;
      arcStatement.run(source, graph, target, units(count), prints, ownEra, seen, credits - at);
    }
    for (const from of new Set(arcs.map((arc) => arc.from))) {
      const source = ids[from] as number;
      trim.run(source, graph, source, graph, options.maxArcsPerUrl);
    }
  }
  database
    .prepare(
      `UPDATE meta SET predictor = ?, window = ?, graphs = ?, as_of_ms = ?, exponent = ?,
       era = coalesce(nullif(?, 0), era), credits = ?`,
    )
    .run(predictor, window, graphs.length, ageing.asOfMs, ageing.exponent, era, credits);
}

/** The fingerprints of two lists together, up to six. */
function united(kept: unknown, given: unknown): string {
  if (kept === given) return given as string;
  const all = new Set([...(kept as string).split(','), ...(given as string).split(',')]);
  return [...all].slice(0, fingerprintsPerArc).join();
}

/** How far caps may be exceeded before pruning, so that pruning is rare. */
const slack = 1.25;

/** Deletes the weakest rows if there are too many. Counting a million arcs takes ten times as long as an addition. */
export function prune(database: DatabaseSync, { maxNodes, maxArcs }: StoreSettings): void {
  const held = database.prepare(
    'SELECT graphs, (SELECT count(*) FROM url) AS nodes, (SELECT count(*) FROM arc) AS arcs FROM meta',
  );
  const { graphs, nodes, arcs } = held.get() as { graphs: number; nodes: number; arcs: number };
  if (nodes <= maxNodes * slack && arcs <= maxArcs * graphs * slack) return;
  // A URL may be known only through its arcs.
  database
    .prepare(
      `DELETE FROM url WHERE id NOT IN (
         SELECT id FROM (
           SELECT id, accesses AS strength FROM url
           UNION ALL SELECT source, count FROM arc UNION ALL SELECT target, count FROM arc)
         GROUP BY id ORDER BY max(strength) DESC, id DESC LIMIT ?)`,
    )
    .run(maxNodes);
  database.exec(deleteLooseArcs);
  database
    .prepare(
      `DELETE FROM arc WHERE (source, graph, target) IN (
         SELECT source, graph, target FROM arc
         ORDER BY count DESC, graph DESC, source DESC, credited LIMIT -1 OFFSET ?)`,
    )
    .run(maxArcs * graphs);
}

/** Deletes a URL and all below it. @returns the number of URLs deleted */
export function deleteBelow(database: DatabaseSync, url: string): number {
  const below = (text: unknown) => (isForgotten(text as string, url) ? 1 : 0);
  database.function('is_below', { deterministic: true }, below);
  const { changes } = database.prepare('DELETE FROM url WHERE is_below(url)').run();
  if (changes !== 0) database.exec(deleteLooseArcs);
  return Number(changes);
}

/** Replace the fingerprints of ended eras by their number. @returns true if there were any */
export function endEras(database: DatabaseSync): boolean {
  const { changes } = database
    .prepare(
      `UPDATE arc SET seen = ${seenWithClients}, clients = '', era = 0 WHERE era NOT IN (0, ?)`,
    )
    .run(presentEra(readMeta(database)));
  return changes !== 0;
}

/** Number of URLs whose arcs one query reads, because a query frees the values it passed only at its end. */
const urlsAtOnce = 256;

const isCount = (value: number) => value >= 0 && value < Infinity;

/** Reads the whole graph. @throws DamagedFile */
export function loadGraph(
  database: DatabaseSync,
  { nowMs, halfLifeMs }: { nowMs: number; halfLifeMs: number | null },
): StoredGraph | null {
  const meta = readMeta(database);
  const { predictor, window } = meta;
  if (predictor === null) return null;
  const era = presentEra(meta);
  const unit = unitOf(ageingAt(meta, nowMs, halfLifeMs));
  const indexes = new Map<number, number>();
  const stored: StoredGraph = {
    predictor,
    window,
    era,
    urls: [],
    kinds: [],
    accesses: [],
    graphs: [],
  };
  const rows = database.prepare('SELECT id, url, kind, accesses FROM url ORDER BY id');
  rows.setReturnArrays(true);
  for (const row of rows.all()) {
    const [id, url, kind, accesses] = row as unknown as [number, string, number, number];
    if (!isCount(accesses)) throw new DamagedFile('a URL has no count');
    indexes.set(id, stored.urls.push(url) - 1);
    stored.kinds.push(kind);
    stored.accesses.push(accesses / unit);
  }
  const most = database.prepare('SELECT count(*) AS arcs FROM arc').get()?.arcs as number;
  stored.graphs = Array.from({ length: meta.graphs }, () => emptyColumns(most));
  type Row = [graph: number, source: number, target: number, number, number, clients: string];
  const take = (...row: unknown[]) => {
    const [graph, source, target, count, seen, clients] = row as Row;
    const [from, to, columns] = [indexes.get(source), indexes.get(target), stored.graphs[graph]];
    if (from === undefined || to === undefined) throw new DamagedFile('an arc leads nowhere');
    if (!isCount(count) || columns === undefined) throw new DamagedFile('an arc has no count');
    addArc(columns, { from, to, count: count / unit, seen }, clients);
    return null;
  };
  // SQL calls a function for each row, because returning the row would take a quarter longer.
  database.function('take', { varargs: true }, take);
  const some = database.prepare(
    `SELECT count(take(graph, source, target, count, seen, clients)) FROM (
       SELECT graph, source, target, count,
         iif(era IN (0, $era), seen, ${seenWithClients}) AS seen,
         iif(era = $era, clients, '') AS clients
       FROM arc WHERE source >= $first AND source < $end
       ORDER BY source, graph, count DESC, credited DESC)`,
  );
  const order = [...indexes.keys()];
  for (let n = 0; n < order.length; n += urlsAtOnce) {
    const first = n === 0 ? Number.MIN_SAFE_INTEGER : (order[n] as number);
    some.get({ era, first, end: order[n + urlsAtOnce] ?? Number.MAX_SAFE_INTEGER });
  }
  database.function('take', () => null); // releases the columns
  return stored;
}
