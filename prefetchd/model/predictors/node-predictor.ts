// Holds what the predictors of this folder have in common: tables of nodes and arcs, and the order of predictions: best
// first, ties by recency, then URL. Resources sent with an access through GETALL or GETLIST are already at the client,
// so they are no predictions of that access (Padmanabhan 1995, 7.3: "need not be considered as candidates ... at this
// time"). They may be predicted again at the client's next access.

import type { Access, Navigation } from '../../access.ts';
import { Graph, type Tables } from '../graph/graph.ts';
import type { Node } from '../graph/node.ts';
import { NodeTable } from '../graph/nodes.ts';
import { Windows } from '../graph/windows.ts';
import type { ModelOptions } from '../model-options.ts';
import type { Observation, Prediction, PredictOptions, Predictor } from '../predictor.ts';

export abstract class NodePredictor implements Predictor {
  abstract readonly name: string;
  readonly tables: Tables;
  /** Arcs from page to page, or between all URLs if the predictor has one graph. */
  readonly graph: Graph;
  protected readonly nodes: NodeTable;
  protected readonly windows: Windows;

  constructor(options: ModelOptions, graphs: 1 | 2) {
    const nodes = new NodeTable(options);
    const numbers = ([0, 1] as const).slice(0, graphs);
    const all = numbers.map((number) => new Graph(options, nodes, number));
    this.tables = { nodes, graphs: all };
    this.graph = all[0] as Graph;
    this.nodes = nodes;
    this.windows = new Windows(options);
    nodes.join(this.windows);
  }

  /** All objects in which the predictor keeps the latest accesses of each client (its window). */
  protected get allWindows(): readonly Windows[] {
    return [this.windows];
  }

  get window(): number {
    return this.windows.window;
  }

  set window(window: number) {
    for (const windows of this.allWindows) windows.window = window;
  }

  abstract observe(access: Observation): void;

  abstract predict(access: Access, options: PredictOptions): Prediction[];

  /** Forgets all clients, with their windows, because their pseudonyms change. */
  forgetClients(): void {
    for (const windows of this.allWindows) windows.clear();
  }

  /** Counts the access. @returns the node of its URL; null if nothing more is to be learned from the access */
  protected counted(access: Observation): Node | null {
    return access.prefetch ? null : this.nodes.access(access, access.isAnticipated ? 0 : 1);
  }

  /** Records the access to `node` as one that follows the earlier accesses in the client's window. */
  protected follow(access: Observation, node: Node): void {
    const { gain } = this.nodes;
    const window = this.windows.enter(access);
    if (access.entry === true) window.entries = [];
    const earlier = this.windows.follow(window, node, gain, access.window);
    if (access.isAnticipated === true) return;
    this.graph.visit(node, gain, window.print);
    this.graph.follow(earlier, node, window.print);
  }

  anticipate(access: Observation, most: number): number {
    const node = this.nodes.find(access.url);
    if (node === undefined) return 0;
    const earlier = this.windows.precede(this.windows.enter(access), node);
    const part = this.graph.anticipate(earlier, node, most);
    this.nodes.access(access, part);
    return part;
  }

  embedsObjects(_url: string): boolean {
    return false;
  }

  bytesOf(url: string): number {
    return this.nodes.find(url)?.bytes ?? 0;
  }

  isTooEarly(page: string, url: string): boolean {
    const [from, to] = [this.nodes.find(page), this.nodes.find(url)];
    if (from === undefined || !to?.isShortLived) return false;
    return this.graph.isNeverNext(from, to);
  }
}

export interface Likely {
  node: Node;
  probability: number;
  /** Decides the order of predictions with equal probability: the highest rank comes first. */
  rank: number;
  /** Whether an object is for the requested page or a next one; absent: the predictor cannot tell. */
  navigation?: Navigation;
}

/** Returns a test that is true for a node whose resource was not sent along with this access. */
export function isWanted({ alsoSent = [] }: Access): (node: Node) => boolean {
  const sent = new Set(alsoSent);
  return ({ url }) => sent.size === 0 || !sent.has(url);
}

export function predictionsOf(
  likely: readonly Likely[],
  { threshold, limit, kind }: PredictOptions,
): Prediction[] {
  return likely
    .filter((each) => each.probability > threshold && (!kind || kind === each.node.kind))
    .sort(byProbability)
    .slice(0, limit ?? likely.length)
    .map(({ node: { url, kind }, probability, navigation }) =>
      kind === 'object' && navigation !== undefined
        ? { url, kind, probability, navigation }
        : { url, kind, probability },
    );
}

function byProbability(one: Likely, other: Likely): number {
  const difference = other.probability - one.probability || other.rank - one.rank;
  return difference || (one.node.url < other.node.url ? -1 : 1);
}
