// Has the SQL that adds to the graph in the tables of an SQLite store, prunes it and deletes from it. It runs in
// the caller's transaction. Counts are in units of forward-decay.ts.
//
// All fingerprints in the table are made with the present salt, so those of an addition are united with them. The arcs
// that leave one URL have no order in the table, so each has the number of the last addition to it (`credited`), which
// decides between arcs with equal counts.

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
import { readMeta } from './tables.ts';

const urlAddition = `
  INSERT INTO url (url, kind, accesses) VALUES (?, ?, ?)
  ON CONFLICT (url) DO UPDATE SET
    kind = excluded.kind, accesses = accesses + excluded.accesses
  RETURNING id`;

const arcAddition = `
  INSERT INTO arc VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET
    count = count + excluded.count,
    clients = united(clients, excluded.clients),
    seen = seen & excluded.seen & 8 | max(seen & 7, excluded.seen & 7),
    credited = max(credited, excluded.credited)`;

/** Deletes the weakest of the arcs that leave a URL. Node 22 has no numbered parameters, so two are given twice. */
const trimUrl = `
  DELETE FROM arc WHERE source = ? AND graph = ? AND target IN (
    SELECT target FROM arc WHERE source = ? AND graph = ?
    ORDER BY count DESC, credited DESC LIMIT -1 OFFSET ?)`;

const deleteLooseArcs = `
  DELETE FROM arc
  WHERE source NOT IN (SELECT id FROM url) OR target NOT IN (SELECT id FROM url)`;

/** Replaces all client fingerprints by their number, when the salt with which they were made has been replaced, also in
 *  arcs that nobody follows any more: equal fingerprints in several rows would show a client's path. */
export const endEra = `
  UPDATE arc SET clients = '', seen = seen & 8 |
    max(seen & 7, 1 + length(clients) - length(replace(clients, ',', '')))
  WHERE clients <> ''`;

/** Adds a delta to the tables. @param place name of the store @throws `store-mismatch`, `invalid-option` */
export function addDelta(
  database: DatabaseSync,
  place: string,
  { delta, nowMs, options }: { delta: GraphDelta; nowMs: number; options: StoreSettings },
): void {
  const meta = readMeta(database);
  const { predictor, window, era, urls, graphs } = delta;
  const kept = meta.predictor === null ? null : { ...meta, predictor: meta.predictor };
  checkAddition(delta, place, kept);
  const ageing = ageingAt(kept ?? { asOfMs: nowMs, exponent: 0 }, nowMs, options.halfLifeMs);
  if (ageing.exponent > mostExponent) {
    const unit = unitOf(ageing);
    database.exec(
      `UPDATE url SET accesses = accesses / ${unit}; UPDATE arc SET count = count / ${unit}`,
    );
    ageing.exponent = 0;
  }
  const unit = unitOf(ageing);
  // If the delta's fingerprints were made with a salt that has been replaced by now, only their number is stored.
  const isLate = meta.salt !== null && era !== meta.era;
  if (!isLate && era !== 0 && era !== meta.era) database.exec(endEra);
  const addUrl = database.prepare(urlAddition);
  const ids = urls.map(({ url, kind, accesses }) => {
    return addUrl.get(url.toWellFormed(), kind, accesses * unit)?.id as number;
  });
  database.function('united', { deterministic: true }, united);
  const addArc = database.prepare(arcAddition);
  const trim = database.prepare(trimUrl);
  let credits = meta.credits + urls.length;
  for (const [graph, arcs] of graphs.entries()) {
    // Arcs with equal counts are sorted by `credited`, which falls from arc to arc, so those of a delta stay in order.
    credits += arcs.length;
    for (const [at, { from, to, count, clients, seen }] of arcs.entries()) {
      const [source, target] = [ids[from] as number, ids[to] as number];
      const prints = era === 0 || isLate ? '' : clients.join();
      const most = isLate ? mergedSeen(seen, neverNext + clients.length) : seen;
      addArc.run(source, graph, target, count * unit, prints, most, credits - at);
    }
    for (const from of new Set(arcs.map((arc) => arc.from))) {
      const row = [ids[from] as number, graph];
      trim.run(...row, ...row, options.maxArcsPerUrl);
    }
  }
  database
    .prepare(
      `UPDATE meta SET predictor = ?, window = ?, graphs = ?, as_of_ms = ?, exponent = ?,
       era = coalesce(nullif(?, 0), era), credits = ?`,
    )
    .run(predictor, window, graphs.length, ageing.asOfMs, ageing.exponent, era, credits);
  // Rows are not counted at each addition, because counting a million arcs takes ten times as long as an addition.
  const rowsBetween = Math.min(options.maxNodes, options.maxArcs) / 64;
  if (Math.floor(credits / rowsBetween) > Math.floor(meta.credits / rowsBetween)) {
    prune(database, graphs.length, options);
  }
}

/** Returns the client fingerprints of two lists in one list, of up to six. */
function united(kept: unknown, given: unknown): string {
  if (kept === '' || given === '') return `${kept}${given}`;
  const all = new Set([...(kept as string).split(','), ...(given as string).split(',')]);
  return [...all].slice(0, fingerprintsPerArc).join();
}

/** Rows are pruned only beyond this many times their limit, so that pruning is rare. */
const slack = 1.25;

/** Deletes the URLs with the fewest accesses, and the arcs with the lowest counts, if there are too many. */
function prune(database: DatabaseSync, graphs: number, options: StoreSettings): void {
  const [mostUrls, mostArcs] = [options.maxNodes, options.maxArcs * graphs];
  const isMore = database.prepare(
    'SELECT (SELECT count(*) FROM url) > ? OR (SELECT count(*) FROM arc) > ? AS is_more',
  );
  if (isMore.get(mostUrls * slack, mostArcs * slack)?.is_more === 0) return;
  const weakUrls = 'SELECT id FROM url ORDER BY accesses DESC, id DESC LIMIT -1 OFFSET ?';
  database.prepare(`DELETE FROM url WHERE id IN (${weakUrls})`).run(mostUrls);
  database.exec(deleteLooseArcs);
  const weakArcs = `SELECT source, graph, target FROM arc
    ORDER BY count DESC, graph DESC, source DESC, credited LIMIT -1 OFFSET ?`;
  database.prepare(`DELETE FROM arc WHERE (source, graph, target) IN (${weakArcs})`).run(mostArcs);
}

/** Deletes a URL and all URLs below it. @returns the number of URLs deleted */
export function deleteBelow(database: DatabaseSync, url: string): number {
  const below = (text: unknown) => (isForgotten(text as string, url) ? 1 : 0);
  database.function('is_below', { deterministic: true }, below);
  const { changes } = database.prepare('DELETE FROM url WHERE is_below(url)').run();
  if (changes !== 0) database.exec(deleteLooseArcs);
  return Number(changes);
}
