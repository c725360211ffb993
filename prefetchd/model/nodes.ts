// The URLs a predictor knows, as small numbers (texts.ts); what is known of each lies in typed arrays
// indexed by its id. The table also keeps the model's time: the ageing gain and the number of the
// access, which orders ties.
//
// Invariants: at most `maxNodes` URLs of `maxUrlCharacters` in all. When one more would not fit, the
// weakest tenth goes at once, and every table that holds ids (arcs, windows) joined in order to be
// told: after `forget` no id of a URL that went is left anywhere, so ids can be used again.

import type { AccessKind } from '../access.ts';
import { Ageing } from './ageing.ts';
import { grown } from './grown.ts';
import type { ModelOptions } from './options.ts';
import { TextTable } from './texts.ts';
import { cutOfWeakest, goesWith } from './weakest.ts';

/** A table that keeps ids or counts of a NodeTable. */
export interface Holder {
  /** Let go of every id for which `gone[id]` is 1. */
  forget(gone: Uint8Array): void;
  /** Multiply every count by `factor`, an exact power of two. */
  scale(factor: number): void;
}

const objectFlag = 1;
const neverHintedFlag = 2;

export class NodeTable implements Holder {
  /** Aged accesses by id, in units of past gains; divide by `gain` for accesses as of now. */
  counts = new Float64Array(64);
  /** Number of the access that came last, by id. */
  lasts = new Float64Array(64);
  /** Number of the current access. */
  sequence = 0;
  readonly #options: ModelOptions;
  readonly #ageing: Ageing;
  readonly #urls = new TextTable();
  readonly #holders: Holder[] = [this];
  #flags = new Uint8Array(64);

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
  join(holder: Holder): void {
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
    this.counts[id] = (this.counts[id] as number) + this.#ageing.gain;
    this.lasts[id] = ++this.sequence;
    return id;
  }

  /** The id of a URL; -1 when it is not known. */
  idOf(url: string): number {
    return this.#urls.find(url);
  }

  /** The id of a URL, which is known from now on; its kind is what it was asked for as last. */
  intern(url: string, kind: AccessKind): number {
    const known = this.#urls.find(url);
    if (known >= 0) {
      if (((this.#flags[known] as number) & objectFlag) !== (kind === 'object' ? objectFlag : 0)) {
        this.#flags[known] = this.#flagsOf(url, kind);
      }
      return known;
    }
    const { maxNodes, maxUrlCharacters } = this.#options;
    while (
      this.size >= maxNodes ||
      (this.#urls.characters + url.length > maxUrlCharacters && this.size)
    ) {
      this.#dropWeakest(Math.ceil(this.size / 10));
    }
    const id = this.#urls.add(url);
    if (id === this.counts.length) this.#grow();
    this.counts[id] = 0;
    this.lasts[id] = this.sequence;
    this.#flags[id] = this.#flagsOf(url, kind);
    return id;
  }

  urlOf(id: number): string {
    return this.#urls.textOf(id);
  }

  kindOf(id: number): AccessKind {
    return ((this.#flags[id] as number) & objectFlag) === 0 ? 'document' : 'object';
  }

  /** False: no arc leads here. */
  mayHint(id: number): boolean {
    return ((this.#flags[id] as number) & neverHintedFlag) === 0;
  }

  /** Ids in use. */
  *ids(): IterableIterator<number> {
    for (let id = 0; id < this.top; id++) if (this.#urls.has(id)) yield id;
  }

  forget(gone: Uint8Array): void {
    for (let id = 0; id < this.top; id++) if (gone[id] === 1) this.#urls.remove(id);
  }

  scale(factor: number): void {
    for (let id = 0; id < this.top; id++) this.counts[id] = (this.counts[id] as number) * factor;
  }

  /** Bytes of all typed arrays. */
  get typedBytes(): number {
    return this.counts.length * (8 + 8 + 1) + this.#urls.typedBytes;
  }

  #dropWeakest(quota: number): void {
    const counts = new Float64Array(this.size);
    const lasts = new Float64Array(this.size);
    let live = 0;
    for (const id of this.ids()) {
      counts[live] = this.counts[id] as number;
      lasts[live++] = this.lasts[id] as number;
    }
    const cut = cutOfWeakest(counts, lasts, quota);
    const gone = new Uint8Array(this.top);
    for (const id of this.ids()) {
      if (goesWith(cut, this.counts[id] as number, this.lasts[id] as number)) gone[id] = 1;
    }
    for (const holder of this.#holders) holder.forget(gone);
  }

  #flagsOf(url: string, kind: AccessKind): number {
    const never = this.#options.mayHint(url, kind) ? 0 : neverHintedFlag;
    return (kind === 'object' ? objectFlag : 0) | never;
  }

  #grow(): void {
    const length = Math.min(this.#options.maxNodes, Math.ceil(this.counts.length * 1.5));
    this.counts = grown(this.counts, new Float64Array(length));
    this.lasts = grown(this.lasts, new Float64Array(length));
    this.#flags = grown(this.#flags, new Uint8Array(length));
  }
}
