// Reads the result of the SQL statement (statement.ts), as rows, tab-separated values or JSON, into a delta for a
// store. A URL has a row, `page` or `object`, before the arcs at it: `next` leads to a page, `part` to an object.
//
// URLs that a service would not learn are left out. The caps are those of a store; since the strongest rows come first,
// what is beyond them is the weakest. So memory does not grow with the number of rows.

import { DeltaBuilder } from '../model/delta/delta-builder.ts';
import {
  type ArcDelta,
  fingerprintsPerArc,
  type GraphDelta,
  neverNext,
} from '../model/delta/graph-delta.ts';
import { modelDefaults } from '../model/model-options.ts';
import type { NameRule } from '../rules/deny-list.ts';
import { storeDefaults } from '../store/store-options.ts';

const { maxNodes, maxArcs, maxArcsPerUrl } = storeDefaults;
const columns = ['what', 'source', 'target', 'count', 'visitors', 'direct'] as const;
type ResultRow = Readonly<Partial<Record<(typeof columns)[number], unknown>>>;

/** A URL of the result: its index in `delta`, -1 if it is left out, and the number of arcs from it in each graph. */
type KnownNode = { readonly index: number; readonly arcs: [number, number] };

/** The error for a row of the SQL statement's result that cannot be read. */
export class RowFault extends Error {}

export class ResultRows {
  /** Number of rows that were left out because a service would not learn their URL, such as that of a logout. */
  leftOut = 0;
  /** Number of rows that were left out because the graph has its largest number of URLs or arcs. */
  beyond = 0;
  readonly delta: GraphDelta;
  readonly #builder: DeltaBuilder;
  readonly #normalise: (url: string) => string | null;
  readonly #reasonOf: NameRule['reasonOf'];
  readonly #known = new Map<unknown, KnownNode>();

  /** @param normalise returns the normal form of a URL, or null if it is none */
  constructor(normalise: (url: string) => string | null, names: NameRule) {
    const { window } = modelDefaults;
    this.#builder = new DeltaBuilder({ predictor: 'double-graph', window, era: 0 }, 2);
    this.delta = this.#builder.delta();
    this.#normalise = normalise;
    this.#reasonOf = names.reasonOf;
  }

  /** Adds a row of the statement's result, or the line of text that has its values. @throws RowFault */
  add(given: ResultRow | string): void {
    if (given === '' || given === columns.join('\t')) return;
    const row = typeof given === 'string' ? rowOf(given) : given;
    const { what, source, target } = row;
    const count = numberIn(row, 'count');
    const clients = Math.min(Math.floor(numberIn(row, 'visitors')), fingerprintsPerArc);
    const isNext = what === 'page' || (what === 'next' && numberIn(row, 'direct') > 0);
    const weight = { count, seen: isNext ? clients : clients + neverNext, clients: [] };
    if (what === 'page' || what === 'object') {
      const node = this.#node(source, what === 'page' ? 'document' : 'object');
      if (node && node.index >= 0) this.#builder.count(node.index, count);
      if (what === 'page') this.#credit(0, node, node, weight);
    } else if (what === 'next' || what === 'part') {
      const [from, to] = [this.#nodeAt(source), this.#nodeAt(target)];
      if (from === null || from !== to) this.#credit(what === 'next' ? 0 : 1, from, to, weight);
    } else throw new RowFault(`what must be page, object, next or part, not ${shown(what)}`);
  }

  #node(given: unknown, kind: 'document' | 'object'): KnownNode | null {
    const url = this.#url(given);
    const known = this.#known.get(url);
    if (known !== undefined || this.#isFull) return known ?? null;
    const isRefused = this.#reasonOf(url, kind) !== null;
    const index = isRefused ? -1 : this.#builder.url(url, kind === 'object' ? 1 : 0);
    const node: KnownNode = { index, arcs: [0, 0] };
    this.#known.set(url, node);
    return node;
  }

  get #isFull(): boolean {
    return this.delta.urls.length >= maxNodes || this.#known.size >= 2 * maxNodes;
  }

  /** Returns what is known of the URL at an end of an arc; null: the row of this URL exceeded the limits. */
  #nodeAt(given: unknown): KnownNode | null {
    const known = this.#known.get(given) ?? this.#known.get(this.#url(given));
    if (known !== undefined || this.#isFull) return known ?? null;
    throw new RowFault(`an arc to nowhere: no row before it is of ${shown(given)}`);
  }

  #credit(
    graph: 0 | 1,
    from: KnownNode | null,
    to: KnownNode | null,
    weight: Omit<ArcDelta, 'from' | 'to'>,
  ) {
    const isFull = (this.delta.graphs[graph]?.length ?? 0) >= maxArcs;
    if (from?.index === -1 || to?.index === -1) this.leftOut++;
    else if (!from || !to || isFull || from.arcs[graph] >= maxArcsPerUrl) this.beyond++;
    else {
      from.arcs[graph]++;
      this.#builder.arc(graph, from.index, to.index, weight);
    }
  }

  /** Returns the normal form of a URL. @throws RowFault */
  #url(given: unknown): string {
    if (/\p{Cc}/u.test(`${given}`)) throw new RowFault(`${shown(given)} has control characters`);
    const url = typeof given === 'string' ? this.#normalise(given) : null;
    if (url !== null) return url;
    throw new RowFault(`${shown(given)} is no path and no http or https URL, or too long`);
  }
}

function rowOf(line: string): ResultRow {
  try {
    if (line.startsWith('{')) return JSON.parse(line);
  } catch {
    throw new RowFault('it is no JSON');
  }
  const values = line.split('\t');
  if (values.length !== columns.length) {
    throw new RowFault(`it must have ${columns.join(', ')}, with tabs between, or be JSON`);
  }
  return Object.fromEntries(columns.map((name, at) => [name, plain(values[at] as string)]));
}

/** Decodes a value of a row of tab-separated values: a backslash begins an escape such as `\n`. */
function plain(value: string): string {
  return value.replace(/\\(.)/gs, (_, letter: string) => {
    const control = 'tnrbf0'.indexOf(letter);
    return control === -1 ? letter : ('\t\n\r\b\f\0'[control] as string);
  });
}

/** Returns a number of a row, from 0. @throws RowFault */
function numberIn(row: ResultRow, name: 'count' | 'visitors' | 'direct'): number {
  const text = String(row[name]);
  const value =
    text === 'true' ? 1 : text === 'false' ? 0 : text === '' ? Number.NaN : Number(text);
  if (value >= 0 && value < Infinity) return value;
  throw new RowFault(`${name} must be a number from 0, not ${shown(row[name])}`);
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 80);
}
