// Has the SQL that adds to the graph in the tables of an SQLite store, prunes it and deletes from it. It runs within the
// caller's transaction. Counts are in units of forward-decay.ts.
//
// `clients` is a list of fingerprints such as `7,1023,3`. Client sets of one era are united; those of an earlier era
// become a number (graph-delta.ts). The arcs that leave one URL have no order in the table, so each has the number of
// its last credit, which decides between equals.

import type { DatabaseSync } from 'node:sqlite';
import {
  fingerprintsPerArc,
  type GraphDelta,
  mergedSeen,
  neverNext,
} from '../../model/delta/graph-delta.ts';
import { checkAddition } from '../addition.ts';
import { ageingAt, mostExponent, unitOf } from '../forward-decay.ts';
import { isForgotten } from '../graph-store.ts';
import type { StoreSettings } from '../store-options.ts';
import { type Meta, readMeta } from './tables.ts';

/** Limit on aged units, because those of a huge count may exceed a double. */
const mostUnits = Number.MAX_VALUE;

/** The value `seen` with the number of fingerprints in it, for rows whose fingerprints are dropped or not shown. */
export const seenWithClients = `(seen & 8 | max(seen & 7,
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
  DELETE FROM arc WHERE source = ?1 AND graph = ?2 AND target IN (
    SELECT target FROM arc WHERE source = ?1 AND graph = ?2
    ORDER BY count DESC, credited DESC LIMIT -1 OFFSET ?3)`;

const deleteLooseArcs = `
  DELETE FROM arc
  WHERE source NOT IN (SELECT id FROM url) OR target NOT IN (SELECT id FROM url)`;

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
  const addArc = database.prepare(arcAddition);
  const trim = database.prepare(trimUrl);
  // The delta may have been made before its era ended.
  const isLate = meta.salt !== null && era !== meta.era;
  let { credits } = meta;
  for (const [graph, arcs] of graphs.entries()) {
    // The first arc of an addition comes first among equal ones.
    credits += arcs.length;
    for (const [at, { from, to, count, clients, seen }] of arcs.entries()) {
      const [source, target] = [ids[from] as number, ids[to] as number];
      const prints = era === 0 || isLate ? '' : clients.join();
      const most = isLate ? mergedSeen(seen, neverNext + clients.length) : seen;
      const ownEra = prints === '' ? 0 : era;
      addArc.run(source, graph, target, units(count), prints, ownEra, most, credits - at);
    }
    for (const from of new Set(arcs.map((arc) => arc.from))) {
      trim.run(ids[from] as number, graph, options.maxArcsPerUrl);
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
  const weakUrls = 'SELECT id FROM url ORDER BY accesses DESC, id DESC LIMIT -1 OFFSET ?';
  database.prepare(`DELETE FROM url WHERE id IN (${weakUrls})`).run(maxNodes);
  database.exec(deleteLooseArcs);
  const weakArcs = `SELECT source, graph, target FROM arc
    ORDER BY count DESC, graph DESC, source DESC, credited LIMIT -1 OFFSET ?`;
  database
    .prepare(`DELETE FROM arc WHERE (source, graph, target) IN (${weakArcs})`)
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

/** Replaces the fingerprints of all eras but one by their number, also in arcs that nobody follows any more. Without
 *  the salt they identify nobody, but equal fingerprints in several rows would show a path. @returns true if there were
 *  any */
export function endEras(database: DatabaseSync, present: number): boolean {
  const { changes } = database
    .prepare(
      `UPDATE arc SET seen = ${seenWithClients}, clients = '', era = 0 WHERE era NOT IN (0, ?)`,
    )
    .run(present);
  return changes !== 0;
}
