// The URLs a predictor knows, as small numbers (texts.ts); what is known of each lies in one typed array,
// four numbers an id. The table also keeps the model's time: the ageing gain and the number of the
// access, which orders ties.
//
// Invariants: at most `maxNodes` URLs of `maxUrlCharacters` in all; one more, and a weak one goes (sampled-eviction.ts).
// Its id is used again at once, in a new generation: the number of the access from which on it means another URL. Who
// writes an id down writes the number of the access beside it; what is older than the generation means nothing.

import type { AccessKind } from '../../access.ts';
import type { Journal } from '../delta/journal.ts';
import type { ModelOptions } from '../model-options.ts';
import { Ageing } from '../tables/ageing.ts';
import { growArray } from '../tables/grow-array.ts';
import type { IdListener } from '../tables/id-listener.ts';
import { type Ranked, SampledEviction } from '../tables/sampled-eviction.ts';
import { TextTable } from '../tables/texts.ts';

const objectFlag = 1;
const neverHintedFlag = 2;
/** Whether it may be hinted was not asked yet. */
const unjudgedFlag = 4;

/** Of each id: aged accesses, last access, first access (of this URL), flags. */
const fields = 4;
const last = 1;
const generation = 2;
const flags = 3;

export class NodeTable implements IdListener, Ranked {
  /** Number of the current access. */
  sequence = 0;
  /** Is told of what is learned (graph-export.ts). */
  journal: Journal | null = null;
  readonly #options: ModelOptions;
  readonly #ageing: Ageing;
  readonly #urls = new TextTable();
  readonly #holders: IdListener[] = [this];
  readonly #hand = new SampledEviction();
  #facts = new Float64Array(64 * fields);

  constructor(options: ModelOptions) {
    this.#options = options;
    this.#ageing = new Ageing(options.halfLifeMs);
  }

  /** URLs known. */
  get size(): number {
    return this.#urls.size;
  }

  /** Ids ever given out lie below it. */
  get top(): number {
    return this.#urls.top;
  }

  /** From now on `holder` hears what goes and what is scaled. */
  join(holder: IdListener): void {
    this.#holders.push(holder);
  }

  /** What one access counts now. */
  get gain(): number {
    return this.#ageing.gain;
  }

  /** One access: time goes on, the URL is known and counted. Its id. */
  access(url: string, kind: AccessKind, timeMs: number): number {
    this.#ageing.advance(timeMs);
    const factor = this.#ageing.takeScale();
    if (factor !== 1) for (const holder of this.#holders) holder.scale(factor);
    const id = this.intern(url, kind);
    if ((this.#flags(id) & unjudgedFlag) !== 0) this.#judge(id, url, kind);
    this.count(id, this.#ageing.gain);
    this.#facts[id * fields + last] = ++this.sequence;
    if (this.journal !== null) this.journal.access(id, this.#ageing.gain);
    return id;
  }

  /** The id of a URL; -1 when it is not known. */
  idOf(url: string): number {
    return this.#urls.find(url);
  }

  /** The id of a URL with this hash (textHash); -1 when none is known. */
  idOfHash(hash: number): number {
    return this.#urls.findHash(hash);
  }

  /** The id of a URL, which is known from now on; its kind is what it was asked for as last. Whether it may be
   *  hinted is asked when somebody wants to know: judging the names of a large graph takes half a second. */
  intern(url: string, kind: AccessKind): number {
    const known = this.#urls.find(url);
    if (known >= 0) {
      if (this.kindOf(known) !== kind) this.#facts[known * fields + flags] = unjudged(kind);
      return known;
    }
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
    return id;
  }

  urlOf(id: number): string {
    return this.#urls.textOf(id);
  }

  kindOf(id: number): AccessKind {
    return (this.#flags(id) & objectFlag) === 0 ? 'document' : 'object';
  }

  /** False: no arc to here is learned, and none that was kept is followed. */
  mayHint(id: number): boolean {
    if ((this.#flags(id) & unjudgedFlag) !== 0) {
      this.#judge(id, this.urlOf(id), this.kindOf(id));
    }
    return (this.#flags(id) & neverHintedFlag) === 0;
  }

  /** Aged accesses, in units of past gains; divide by `gain` for accesses as of now. */
  accesses(id: number): number {
    return this.#facts[id * fields] as number;
  }

  /** Add accesses. */
  count(id: number, amount: number): void {
    this.#facts[id * fields] = (this.#facts[id * fields] as number) + amount;
  }

  /** Number of the access that came last. */
  last(id: number): number {
    return this.#facts[id * fields + last] as number;
  }

  /** Number of the access from which on the id means the URL it means now. */
  generationOf(id: number): number {
    return this.#facts[id * fields + generation] as number;
  }

  /** Every URL goes. */
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

  /** Bytes of all typed arrays. */
  get typedBytes(): number {
    return this.#facts.byteLength + this.#urls.typedBytes;
  }

  #forget(id: number): void {
    for (const holder of this.#holders) holder.forget?.(id);
    this.#urls.remove(id);
    // Nothing that was written down so far is of it.
    this.#facts[id * fields + generation] = Number.POSITIVE_INFINITY;
  }

  #flags(id: number): number {
    return this.#facts[id * fields + flags] as number;
  }

  #judge(id: number, url: string, kind: AccessKind): void {
    const never = this.#options.mayHint(url, kind) ? 0 : neverHintedFlag;
    this.#facts[id * fields + flags] = (kind === 'object' ? objectFlag : 0) | never;
  }

  #grow(): void {
    const ids = Math.min(this.#options.maxNodes, Math.ceil((this.#facts.length / fields) * 1.5));
    this.#facts = growArray(this.#facts, new Float64Array(ids * fields));
  }
}

function unjudged(kind: AccessKind): number {
  return (kind === 'object' ? objectFlag : 0) | unjudgedFlag;
}
