// Keeps the URLs that a predictor knows, in a table. The table also keeps the model's time: the ageing gain, and the
// access number that breaks ties.
//
// Invariant: at most `maxNodes` URLs with at most `maxUrlCharacters` in total; beyond that, a weak one is evicted
// (sampled-eviction.ts).

import type { AccessKind } from '../../access.ts';
import type { ModelOptions } from '../model-options.ts';
import type { Observation } from '../predictor.ts';
import { Ageing } from './ageing.ts';
import { fingerprintOf } from './client-sets.ts';
import { type Arc, Node, removeAt } from './node.ts';
import { SampledEviction } from './sampled-eviction.ts';

/** A part of the model with references to nodes or counts of its own: it must know when nodes go or counts change. */
export interface NodeListener {
  /** Called when a node is evicted. */
  forget?(node: Node): void;
  /** Called when the weight of new accesses (gain), which grows, was scaled down: all counts must be multiplied by
   *  `factor`, an exact power of two. */
  scale?(factor: number): void;
  /** Called when an access was added to the count of a node. @param amount its weight; later accesses weigh more */
  accessed?(node: Node, amount: number): void;
  /** Called when `amount` was added to the count of an arc. @param print fingerprint of the client
   *  @param seen largest number of clients under one earlier salt, and a flag (both: client-sets.ts) */
  credited?(arc: Arc, amount: number, print: number, seen: number): void;
}

/** Lifetime, ms; a page with a shorter one is usually stale if it is prefetched several pages before it is opened. */
const longLivedMs = 60_000;

/**
 * Whether a URL is a page or an embedded object depends on its requests: each request that opens it adds 4 to a sum,
 * each other one subtracts 1, and the sign of the sum decides. So the URL is a page if more than a fifth of its
 * requests open it.
 */
const opened = 4;
const embedded = 1;
/** Limit on the sum that decides whether a URL is a page, so that its latest requests count, and not a long past. */
const mostOpened = 10 * opened;

export class NodeTable {
  /** Sequence number that orders nodes and arcs by time; it grows with each access, new node and imported arc. */
  sequence = 0;
  readonly #options: ModelOptions;
  readonly #ageing: Ageing;
  readonly #byUrl = new Map<string, Node>();
  readonly #list: Node[] = [];
  readonly #listeners: NodeListener[] = [];
  readonly #eviction = new SampledEviction<Node>(isWeaker);
  #characters = 0;

  constructor(options: ModelOptions) {
    this.#options = options;
    this.#ageing = new Ageing(options.halfLifeMs);
  }

  get size(): number {
    return this.#list.length;
  }

  /** All nodes, in any order; valid until the next access. */
  get all(): readonly Node[] {
    return this.#list;
  }

  /** Makes the table call the methods of `listener` from now on. */
  join(listener: NodeListener): void {
    this.#listeners.push(listener);
  }

  /** Calls `credited` of all listeners, after a graph added something to an arc. */
  credited(...gain: Parameters<NonNullable<NodeListener['credited']>>): void {
    for (const listener of this.#listeners) listener.credited?.(...gain);
  }

  /** Weight of an access that is counted now (ageing.ts). */
  get gain(): number {
    return this.#ageing.gain;
  }

  /**
   * Records an access: advances the model's time, adds the URL if it is new, and counts the access, unless earlier
   * requests decided that the URL is of the other kind (a page, not an object, or the reverse). @param part fraction of
   * an access to count, 0..1 @returns the node of the URL; null if it is of the other kind
   */
  access(access: Observation, part = 1): Node | null {
    const { url, kind, timeMs, status, bytes, freshMs, isLate } = access;
    if (!isLate) this.#ageing.advance(timeMs);
    const factor = this.#ageing.takeScale();
    if (factor !== 1) this.#scale(factor);
    const node = this.intern(url, kind);
    vote(node, kind);
    if (node.kind !== kind) return null;
    if (status === 200) {
      node.isWithdrawn = node.isClosed = false;
      if (bytes > 0) this.#weigh(node, access);
      if (freshMs !== undefined) node.isShortLived = freshMs < longLivedMs;
    }
    const amount = part * this.gain;
    node.accesses += amount;
    node.last = ++this.sequence;
    if (amount > 0) for (const listener of this.#listeners) listener.accessed?.(node, amount);
    return node;
  }

  find(url: string): Node | undefined {
    return this.#byUrl.get(url);
  }

  /** Returns the node of a URL, which is added if it is new. @param kind whether a new URL is a page or an object */
  intern(url: string, kind: AccessKind): Node {
    const known = this.#byUrl.get(url);
    if (known !== undefined) return known;
    const { maxNodes, maxUrlCharacters } = this.#options;
    while (
      this.size >= maxNodes ||
      (this.size > 0 && this.#characters + url.length > maxUrlCharacters)
    ) {
      this.#forget(this.#eviction.weakest(this.#list));
    }
    const openings = kind === 'document' ? opened : -embedded;
    // The node gets a copy, because V8 keeps the whole text of a request as long as a part of it is used.
    const own = url.isWellFormed() ? Buffer.from(url).toString() : url;
    const node = new Node(own, kind, ++this.sequence, openings);
    node.at = this.#list.push(node) - 1;
    this.#byUrl.set(node.url, node);
    this.#characters += url.length;
    return node;
  }

  /** Returns false if the URL must not be hinted: no arc to it may be learned, and no stored arc followed. The option
   *  `mayHint` judges a URL on its first use: judging every URL of a large graph at once takes half a second. */
  mayHint(node: Node): boolean {
    if (node.mayBeHinted === null) {
      const { mayHint, needsEvidence } = this.#options;
      node.mayBeHinted = mayHint(node.url, node.kind);
      node.needsEvidence = needsEvidence(node.url, node.kind);
    }
    return node.mayBeHinted && !node.isTooLarge && !node.isWithdrawn;
  }

  /** Returns whether the URL is an object that may be hinted, and its last response did not forbid learning it. */
  mayPreload(url: string): boolean {
    const node = this.find(url);
    return node?.kind === 'object' && this.mayHint(node) && !node.isClosed;
  }

  /** Keeps a URL from being hinted until it is learned again. */
  withdraw(url: string): void {
    const node = this.find(url);
    if (node !== undefined) node.isWithdrawn = node.isClosed = true;
  }

  /** Notes that a response of the URL forbade learning it, for example because it was private. */
  close(url: string): void {
    const node = this.find(url);
    if (node !== undefined) node.isClosed = true;
  }

  clear(): void {
    for (const node of [...this.#list]) this.#forget(node);
  }

  #forget(node: Node): void {
    node.isGone = true;
    for (const listener of this.#listeners) listener.forget?.(node);
    this.#byUrl.delete(node.url);
    removeAt(this.#list, node);
    this.#characters -= node.url.length;
    // Arcs and windows may refer to the node for some time, but its URL takes no memory any more.
    node.url = '';
  }

  #scale(factor: number): void {
    for (const node of this.#list) {
      node.accesses *= factor;
      node.newAccesses *= factor;
    }
    for (const listener of this.#listeners) listener.scale?.(factor);
  }

  /**
   * Updates the size of a URL. A smaller response is accepted at once; a larger one only if the last response was
   * larger too and another client's, because one client may refuse compression. While a document is too large, no arc
   * to it is learned, so none is stored.
   */
  #weigh(
    node: Node,
    { kind, bytes, client, fingerprint = fingerprintOf(client) }: Observation,
  ): void {
    const { maxHintBytes } = this.#options;
    const isLarger = node.bytes > 0 && bytes > node.bytes;
    const isDoubtful = isLarger && (node.larger === 0 || node.larger === fingerprint);
    if (!isDoubtful) node.bytes = bytes;
    node.larger = isDoubtful ? fingerprint : 0;
    node.isTooLarge = maxHintBytes !== null && kind === 'document' && node.bytes > maxHintBytes;
  }
}

function isWeaker(one: Node, than: Node): boolean {
  return one.accesses < than.accesses || (one.accesses === than.accesses && one.last < than.last);
}

function vote(node: Node, kind: AccessKind): void {
  const wasPage = node.openings > 0;
  node.openings =
    kind === 'document'
      ? Math.min(node.openings + opened, mostOpened)
      : Math.max(node.openings - embedded, -mostOpened);
  const isPage = node.openings > 0;
  if (isPage === wasPage) return;
  // The URL becomes one of the other kind, so what its earlier responses told no longer applies.
  node.kind = isPage ? 'document' : 'object';
  node.mayBeHinted = null;
  node.larger = 0;
  node.isTooLarge = node.isWithdrawn = node.isClosed = node.isShortLived = false;
}
