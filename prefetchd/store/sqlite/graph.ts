// The graph in the tables of an SQLite store: SQL that reads it, adds to it, prunes it and deletes from it. Runs within
// the caller's transaction. Counts are in units of forward-decay.ts.
//
// `clients` is a list of fingerprints such as `7,1023,3`. Additions are merged according to merge.ts; the arcs that
// leave one URL have no order in the table, so each has the number of its last credit, which decides between equals.

import type { DatabaseSync } from 'node:sqlite';
import { fingerprintsPerArc, type GraphDelta } from '../../model/delta/graph-delta.ts';
import { saltOf } from '../../model/salt.ts';
import { checkDelta, printsAt } from '../delta-rows.ts';
import { isForgotten } from '../forgotten.ts';
import { ageingAt, leastAccesses, mostExponent, unitOf } from '../forward-decay.ts';
import { checkSamePredictor } from '../same-predictor.ts';
import { isTooMuch, type StoreSettings } from '../store-options.ts';
import { ArcReader } from './arc-reader.ts';
import { DamagedFile } from './failures.ts';
import { type Meta, readMeta } from './tables.ts';

const urlsAtOnce = 256;

/** Limit of aged units, because those of a huge count may exceed a double. */
const mostUnits = Number.MAX_VALUE;

/** `seen` after the fingerprints have become a number, or if they are not shown. */
const seenWithClients = `(seen & 8 | max(seen & 7,
  length(clients) - length(replace(clients, ',', '')) + (clients <> '')))`;

const addUrl = `
  INSERT INTO url (url, kind, accesses) VALUES (?, ?, ?)
  ON CONFLICT (url) DO UPDATE SET
    kind = excluded.kind, accesses = min(accesses + excluded.accesses, ${mostUnits})
  RETURNING id`;

const addArc = `
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

const countAll =
  'UPDATE meta SET nodes = (SELECT count(*) FROM url), arcs = (SELECT count(*) FROM arc)';

/** The era of the stored salt; without one, that of the last addition with fingerprints. */
export const presentEra = ({ salt, saltMadeMs, era }: Meta): number =>
  salt === null ? era : saltOf(salt, saltMadeMs).era;

/** @throws PrefetchdError `store-mismatch`, `invalid-option` */
export function addDelta(
  database: DatabaseSync,
  place: string,
  { delta, nowMs, options }: { delta: GraphDelta; nowMs: number; options: StoreSettings },
): void {
  checkDelta(delta);
  const meta = readMeta(database);
  if (meta.identity !== null) checkSamePredictor(place, meta.identity, delta);
  const { predictor, window, era, urls, kinds, accesses, graphs } = delta;
  const before = meta.identity === null ? { asOfMs: nowMs, exponent: 0 } : meta;
  const ageing = ageingAt(before, nowMs, options.halfLifeMs);
  const unit = unitOf(ageing);
  const units = (count: number) => Math.min(count * unit, mostUnits);
  const url = database.prepare(addUrl);
  const ids = urls.map((text, n) => {
    const row = url.get(text.toWellFormed(), kinds[n] as number, units(accesses[n] as number));
    return row?.id as number;
  });
  database.function('united', { deterministic: true }, united);
  const arc = database.prepare(addArc);
  const trim = database.prepare(trimUrl);
  let { credits } = meta;
  graphs.forEach(({ from, to, counts, clients, seen }, graph) => {
    const sources = new Set<number>();
    // The first arc of an addition comes first among its equals.
    credits += from.length;
    for (let at = 0; at < from.length; at++) {
      const source = ids[from[at] as number] as number;
      const target = ids[to[at] as number] as number;
      const prints = era === 0 ? '' : printsAt(clients, at).join();
      const ownEra = prints === '' ? 0 : era;
      const count = units(counts[at] as number);
      arc.run(source, graph, target, count, prints, ownEra, seen[at] as number, credits - at);
      sources.add(source);
    }
    for (const source of sources) trim.run(source, graph, source, graph, options.maxArcsPerUrl);
  });
  const { asOfMs, exponent } = ageing;
  database
    .prepare(
      `UPDATE meta SET predictor = ?, window = ?, graphs = ?, as_of_ms = ?, exponent = ?,
       era = coalesce(nullif(?, 0), era), nodes = nodes + ?, arcs = arcs + ? - credits, credits = ?`,
    )
    .run(predictor, window, graphs.length, asOfMs, exponent, era, urls.length, credits, credits);
  prune(database, graphs.length, exponent, options);
}

/** The fingerprints of two lists, up to six. */
function united(kept: unknown, given: unknown): string {
  if (kept === given) return given as string;
  const all = new Set([...(kept as string).split(','), ...(given as string).split(',')]);
  return [...all].slice(0, fingerprintsPerArc).join();
}

/** Deletes the weakest rows if there are too many, and rescales counts whose unit has grown too large. */
function prune(
  database: DatabaseSync,
  graphs: number,
  exponent: number,
  options: StoreSettings,
): void {
  const isOld = exponent > mostExponent;
  const isFull = () => isTooMuch(options, { ...readMeta(database), graphs });
  if (!isOld && !isFull()) return;
  database.exec(countAll);
  if (!isOld && !isFull()) return;
  const least = isOld ? leastAccesses : 0;
  if (isOld) {
    const unit = 2 ** exponent;
    database.prepare('UPDATE url SET accesses = accesses / ?').run(unit);
    database.prepare('UPDATE arc SET count = count / ?').run(unit);
    database.exec('UPDATE meta SET exponent = 0');
  }
  // A URL may be known only through its arcs.
  database
    .prepare(
      `DELETE FROM url WHERE id NOT IN (
         SELECT id FROM (
           SELECT id, accesses AS strength FROM url
           UNION ALL SELECT source, count FROM arc UNION ALL SELECT target, count FROM arc)
         GROUP BY id HAVING max(strength) >= ? ORDER BY max(strength) DESC, id DESC LIMIT ?)`,
    )
    .run(least, options.maxNodes);
  database.exec(deleteLooseArcs);
  database.prepare('DELETE FROM arc WHERE count < ?').run(least);
  database
    .prepare(
      `DELETE FROM arc WHERE (source, graph, target) IN (
         SELECT source, graph, target FROM arc
         ORDER BY count DESC, graph DESC, source DESC, credited LIMIT -1 OFFSET ?)`,
    )
    .run(options.maxArcs * graphs);
  database.exec(countAll);
}

/** @returns the number of URLs deleted */
export function deleteBelow(database: DatabaseSync, url: string): number {
  const below = (text: unknown) => (isForgotten(text as string, url) ? 1 : 0);
  database.function('is_below', { deterministic: true }, below);
  const { changes } = database.prepare('DELETE FROM url WHERE is_below(url)').run();
  if (changes !== 0) database.exec(deleteLooseArcs);
  return Number(changes);
}

/** Replace fingerprints of ended eras by their number, in about `most` arcs from URL `first` on.
 *  @returns the next URL, null at the end, and whether anything was replaced */
export function endErasFrom(
  database: DatabaseSync,
  first: number,
  most: number,
): { next: number | null; hasChanged: boolean } {
  const { last } = database
    .prepare(
      'SELECT max(source) AS last FROM (SELECT source FROM arc WHERE source >= ? ORDER BY source LIMIT ?)',
    )
    .get(first, most) as { last: number | null };
  if (last === null) return { next: null, hasChanged: false };
  const { changes } = database
    .prepare(
      `UPDATE arc SET seen = ${seenWithClients}, clients = '', era = 0
       WHERE source BETWEEN ? AND ? AND era NOT IN (0, ?)`,
    )
    .run(first, last, presentEra(readMeta(database)));
  return { next: last + 1, hasChanged: changes !== 0 };
}

const isCount = (value: unknown) =>
  typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY;

/** Reads and checks the whole graph, because SQLite finds damage only where it reads. @throws DamagedFile */
export function loadGraph(
  database: DatabaseSync,
  { nowMs, halfLifeMs }: { nowMs: number; halfLifeMs: number | null },
): GraphDelta | null {
  const meta = readMeta(database);
  if (meta.identity === null) return null;
  const era = presentEra(meta);
  const unit = unitOf(ageingAt(meta, nowMs, halfLifeMs));
  const rows = database.prepare('SELECT id, url, kind, accesses FROM url ORDER BY id').all();
  const ids = new Map(rows.map(({ id }, n) => [id as number, n]));
  const { indexed } =
    database.prepare('SELECT count(DISTINCT url) AS indexed FROM url').get() ?? {};
  if (indexed !== rows.length || rows.some(({ accesses }) => !isCount(accesses))) {
    throw new DamagedFile('URLs and their index differ');
  }
  const sizes = database.prepare('SELECT count(*) AS arcs FROM arc WHERE graph = ?');
  const readers = Array.from(
    { length: meta.identity.graphs },
    (_, graph) => new ArcReader(sizes.get(graph)?.arcs as number, ids, unit),
  );
  // Calling a function from SQL takes half the time of returning a row.
  const take = (
    graph: unknown,
    source: unknown,
    target: unknown,
    count: unknown,
    seen: unknown,
    clients: unknown,
  ) => {
    const reader = readers[graph as number];
    if (reader === undefined || !isCount(count)) throw new DamagedFile('an arc has no count');
    reader.addRow(
      source as number,
      target as number,
      count as number,
      seen as number,
      clients as string,
    );
    return null;
  };
  database.function('take', take);
  // A query frees what it passed only at its end, so each reads only some of the URLs.
  const some = database.prepare(
    `SELECT count(take(graph, source, target, count, seen, clients)) FROM (
       SELECT graph, source, target, count,
         iif(era IN (0, $era), seen, ${seenWithClients}) AS seen,
         iif(era = $era, clients, '') AS clients
       FROM arc WHERE source >= $first AND source < $end
       ORDER BY source, graph, count DESC, credited DESC)`,
  );
  for (let n = 0; n < rows.length; n += urlsAtOnce) {
    const first = (n === 0 ? Number.MIN_SAFE_INTEGER : rows[n]?.id) as number;
    const end = (rows[n + urlsAtOnce]?.id ?? Number.MAX_SAFE_INTEGER) as number;
    some.get({ era, first, end });
  }
  database.function('take', () => null); // releases the readers
  const { predictor, window } = meta.identity;
  return {
    ...{ predictor, window, era },
    urls: rows.map(({ url }) => url as string),
    kinds: Uint8Array.from(rows, ({ kind }) => kind as number),
    accesses: Float64Array.from(rows, ({ accesses }) => (accesses as number) / unit),
    graphs: readers.map((reader) => reader.columns()),
  };
}
