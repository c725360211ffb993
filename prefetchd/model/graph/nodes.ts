// The URLs that a predictor knows, as small integers (texts.ts), with five numbers per id in one typed array. The table
// also keeps the model's time: the ageing gain, and the access number that breaks ties.
//
// Invariants: at most `maxNodes` URLs with at most `maxUrlCharacters` in total; beyond that, a weak one is evicted
// (sampled-eviction.ts). Its id is reused at once in a new generation: the number of the access from which the id means
// the new URL. Code that stores an id also stores the number of the access; anything older than the generation is
// stale.

import type { AccessKind } from '../../access.ts';
import type { Journal } from '../delta/journal.ts';
import type { ModelOptions } from '../model-options.ts';
import type { Observation } from '../predictor.ts';
import { Ageing } from '../tables/ageing.ts';
import { fingerprintOf } from '../tables/client-sets.ts';
import { growArray } from '../tables/grow-array.ts';
import type { IdListener } from '../tables/id-listener.ts';
import { type Ranked, SampledEviction } from '../tables/sampled-eviction.ts';
import { TextTable } from '../tables/texts.ts';

const objectFlag = 1;
const neverHintedFlag = 2;
/** Eligibility for hints has not been checked yet. */
const unjudgedFlag = 4;
/** The URL's size is larger than `maxHintBytes`. */
const tooLargeFlag = 8;
/** The URL is hinted only on evidence that it is public. */
const needsEvidenceFlag = 16;
const withdrawnFlag = 32;
/** The last response of the URL was not to be learned. */
const closedFlag = 64;
/** A browser that prefetched the page drops it when the next page is opened. */
const shortLivedFlag = 128;
/** Above the flags: fingerprint of the client whose response, the last one, was larger than the size; 0: none. */
const largerShift = 8;
const flagMask = 2 ** largerShift - 1;

/** For each id: aged accesses, last access, first access (of this URL), flags, size. */
const fields = 5;
const last = 1;
const generation = 2;
const flags = 3;
const size = 4;

/** A page with a shorter lifetime that was prefetched some pages early is usually stale when it is opened. */
const longLivedMs = 60_000;

/** Whether a URL is a page or an embedded object depends on its requests: each as a page adds, each other one
 *  subtracts, and the sign decides. So the URL is a page as long as a fifth of its requests open it. */
const opened = 4;
const embedded = 1;
/** Limit of the sum, so that the latest requests decide. */
const mostOpened = 10 * opened;

export class NodeTable implements IdListener, Ranked {
  /** Number of the current access. */
  sequence = 0;
  /** Records what is learned (graph-export.ts). */
  journal: Journal | null = null;
  readonly #options: ModelOptions;
  readonly #ageing: Ageing;
  readonly #urls = new TextTable();
  readonly #holders: IdListener[] = [this];
  readonly #hand = new SampledEviction();
  #facts = new Float64Array(64 * fields);
  /** For each id: a sum that is above 0 for a page. */
  #openings = new Int8Array(64);

  constructor(options: ModelOptions) {
    this.#options = options;
    this.#ageing = new Ageing(options.halfLifeMs);
  }

  /** Number of known URLs. */
  get size(): number {
    return this.#urls.size;
  }

  /** Bound of the ids given out so far: all are lower. */
  get top(): number {
    return this.#urls.top;
  }

  /** Notify `holder` of evictions and scaling. */
  join(holder: IdListener): void {
    this.#holders.push(holder);
  }

  /** Current weight of one access. */
  get gain(): number {
    return this.#ageing.gain;
  }

  /**
   * Record an access: advance time, intern the URL and count it, unless the URL is of the other kind.
   * @param part Part of an access, 0..1
   * @returns The id of the URL; -1 if the URL is of the other kind
   */
  access(access: Observation, part = 1): number {
    const { url, kind, timeMs, status, bytes, freshMs } = access;
    this.#ageing.advance(timeMs);
    const factor = this.#ageing.takeScale();
    if (factor !== 1) for (const holder of this.#holders) holder.scale(factor);
    const id = this.intern(url, kind);
    this.#vote(id, kind);
    if (this.kindOf(id) !== kind) return -1;
    if ((this.#flags(id) & unjudgedFlag) !== 0) this.#judge(id, url, kind);
    if (status === 200) {
      this.#facts[id * fields + flags] = this.#flags(id) & ~(withdrawnFlag | closedFlag);
    }
    if (status === 200 && bytes > 0) this.#weigh(id, access);
    if (status === 200 && freshMs !== undefined) this.setShortLived(id, freshMs < longLivedMs);
    const amount = part * this.#ageing.gain;
    this.count(id, amount);
    this.#facts[id * fields + last] = ++this.sequence;
    if (this.journal !== null && amount > 0) this.journal.access(id, amount);
    return id;
  }

  /** The id of a URL; -1 if unknown. */
  idOf(url: string): number {
    return this.#urls.find(url);
  }

  /** The id of a URL with this hash (textHash); -1 if there is none. */
  idOfHash(hash: number): number {
    return this.#urls.findHash(hash);
  }

  /** The id of a URL, which is added if new. Eligibility for hints is checked on first use, because judging every name
   *  of a large graph takes half a second. @param kind kind of a new URL */
  intern(url: string, kind: AccessKind): number {
    const known = this.#urls.find(url);
    if (known >= 0) return known;
    const { maxNodes, maxUrlCharacters } = this.#options;
    while (
      this.size >= maxNodes ||
      (this.#urls.characters + url.length > maxUrlCharacters && this.size)
    ) {
      this.#forget(this.#hand.weakest(this, this.top));
    }
    const id = this.#urls.add(url);
    const at = id * fields;
    if (at === this.#facts.length) this.#grow();
    this.#facts[at] = 0;
    this.#facts[at + last] = ++this.sequence;
    this.#facts[at + generation] = this.sequence;
    this.#facts[at + flags] = unjudged(kind);
    this.#facts[at + size] = 0;
    this.#openings[id] = kind === 'document' ? opened : -embedded;
    return id;
  }

  urlOf(id: number): string {
    return this.#urls.textOf(id);
  }

  /** Size of complete responses, bytes; 0 if unknown. */
  bytesOf(id: number): number {
    return this.#facts[id * fields + size] as number;
  }

  kindOf(id: number): AccessKind {
    return (this.#flags(id) & objectFlag) === 0 ? 'document' : 'object';
  }

  /** If false, no arc to the URL is learned and no stored arc is followed. */
  mayHint(id: number): boolean {
    if ((this.#flags(id) & unjudgedFlag) !== 0) {
      this.#judge(id, this.urlOf(id), this.kindOf(id));
    }
    return (this.#flags(id) & (neverHintedFlag | tooLargeFlag | withdrawnFlag)) === 0;
  }

  /** True for a page above `maxHintBytes`. */
  isTooLarge(id: number): boolean {
    return (this.#flags(id) & tooLargeFlag) !== 0;
  }

  /** True for a page whose last response had a lifetime of less than a minute, or none; false if that is not known. */
  isShortLived(id: number): boolean {
    return (this.#flags(id) & shortLivedFlag) !== 0;
  }

  setShortLived(id: number, is: boolean): void {
    const others = this.#flags(id) & ~shortLivedFlag;
    this.#facts[id * fields + flags] = others | (is ? shortLivedFlag : 0);
  }

  /** True for an object that may be hinted and whose last response was meant for all. */
  mayPreload(url: string): boolean {
    const id = this.idOf(url);
    return id >= 0 && this.kindOf(id) === 'object' && this.mayHint(id) && !this.isClosed(url);
  }

  /** Do not hint a URL until it is learned again. */
  withdraw(url: string): void {
    this.#set(url, withdrawnFlag | closedFlag);
  }

  /** A response of the URL was not to be learned. */
  close(url: string): void {
    this.#set(url, closedFlag);
  }

  /** True if the last response of a known URL was not to be learned. */
  isClosed(url: string): boolean {
    const id = this.idOf(url);
    return id >= 0 && (this.#flags(id) & closedFlag) !== 0;
  }

  /** True if the URL is hinted only on evidence that it is public; to be called after `mayHint`. */
  needsEvidence(id: number): boolean {
    return (this.#flags(id) & needsEvidenceFlag) !== 0;
  }

  /** Aged accesses in gain units; divide by `gain` for accesses as of now. */
  accesses(id: number): number {
    return this.#facts[id * fields] as number;
  }

  count(id: number, amount: number): void {
    this.#facts[id * fields] = (this.#facts[id * fields] as number) + amount;
  }

  /** Number of the latest access. */
  last(id: number): number {
    return this.#facts[id * fields + last] as number;
  }

  /** Number of the access from which the id has its present meaning. */
  generationOf(id: number): number {
    return this.#facts[id * fields + generation] as number;
  }

  /** Forget every URL. */
  clear(): void {
    for (const id of this.ids()) this.#forget(id);
  }

  has(id: number): boolean {
    return this.#urls.has(id);
  }

  isWeaker(id: number, than: number): boolean {
    const difference = this.accesses(id) - this.accesses(than);
    return difference < 0 || (difference === 0 && this.last(id) < this.last(than));
  }

  /** Ids in use. */
  *ids(): IterableIterator<number> {
    for (let id = 0; id < this.top; id++) if (this.has(id)) yield id;
  }

  scale(factor: number): void {
    for (let id = 0; id < this.top; id++) {
      this.#facts[id * fields] = this.accesses(id) * factor;
    }
  }

  get typedBytes(): number {
    return this.#facts.byteLength + this.#openings.byteLength + this.#urls.typedBytes;
  }

  #forget(id: number): void {
    for (const holder of this.#holders) holder.forget?.(id);
    this.#urls.remove(id);
    // This makes everything stored so far under the id stale.
    this.#facts[id * fields + generation] = Number.POSITIVE_INFINITY;
  }

  #flags(id: number): number {
    return this.#facts[id * fields + flags] as number;
  }

  #set(url: string, flag: number): void {
    const id = this.idOf(url);
    if (id >= 0) this.#facts[id * fields + flags] = this.#flags(id) | flag;
  }

  #vote(id: number, kind: AccessKind): void {
    const before = this.#openings[id] as number;
    const after =
      kind === 'document'
        ? Math.min(before + opened, mostOpened)
        : Math.max(before - embedded, -mostOpened);
    this.#openings[id] = after;
    if (after > 0 !== before > 0) {
      this.#facts[id * fields + flags] = unjudged(after > 0 ? 'document' : 'object');
    }
  }

  #judge(id: number, url: string, kind: AccessKind): void {
    const object = kind === 'object' ? objectFlag : 0;
    const never = this.#options.mayHint(url, kind) ? 0 : neverHintedFlag;
    const evidence = this.#options.needsEvidence(url, kind) ? needsEvidenceFlag : 0;
    const kept =
      this.#flags(id) & ~(objectFlag | neverHintedFlag | unjudgedFlag | needsEvidenceFlag);
    this.#facts[id * fields + flags] = object | never | evidence | kept;
  }

  /**
   * Updates the size of a URL. A smaller response is accepted at once; a larger one only if the last response was
   * larger too and another client's, because one client may refuse compression. While a document is too large, no arc
   * to it is learned, so none is stored.
   */
  #weigh(
    id: number,
    { kind, bytes, client, fingerprint = fingerprintOf(client) }: Observation,
  ): void {
    const { maxHintBytes } = this.#options;
    const known = this.bytesOf(id);
    const before = this.#flags(id) >>> largerShift;
    const isLarger = known > 0 && bytes > known;
    const isDoubtful = isLarger && (before === 0 || before === fingerprint);
    if (!isDoubtful) this.#facts[id * fields + size] = bytes;
    const isTooLarge =
      maxHintBytes !== null && kind === 'document' && this.bytesOf(id) > maxHintBytes;
    const others = this.#flags(id) & flagMask & ~tooLargeFlag;
    this.#facts[id * fields + flags] =
      others | (isTooLarge ? tooLargeFlag : 0) | (isDoubtful ? fingerprint << largerShift : 0);
  }

  #grow(): void {
    const ids = Math.min(this.#options.maxNodes, Math.ceil((this.#facts.length / fields) * 1.5));
    this.#facts = growArray(this.#facts, new Float64Array(ids * fields));
    this.#openings = growArray(this.#openings, new Int8Array(ids));
  }
}

function unjudged(kind: AccessKind): number {
  return (kind === 'object' ? objectFlag : 0) | unjudgedFlag;
}
