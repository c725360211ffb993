// What waits to be prefetched, the best first.

import type { PrefetchTarget } from './prefetch-target.ts';

const most = 1_000;

export class Queue {
  #targets: PrefetchTarget[] = [];

  get isEmpty(): boolean {
    return this.#targets.length === 0;
  }

  get next(): PrefetchTarget | undefined {
    return this.#targets[0];
  }

  addFirst(targets: readonly PrefetchTarget[]): void {
    this.#targets = [...targets, ...this.#targets].slice(0, most);
  }

  /** Behind what waits for the same document, or first. */
  addFirstOf(document: string, targets: readonly PrefetchTarget[]): void {
    const last = this.#targets.findLastIndex((target) => target.document === document);
    this.#targets = this.#targets.toSpliced(last + 1, 0, ...targets).slice(0, most);
  }

  addLast(targets: readonly PrefetchTarget[]): void {
    this.#targets = [...this.#targets, ...targets].slice(0, most);
  }

  /** The next one is dealt with. */
  shift(): void {
    this.#targets.shift();
  }

  /** It is of no use, and so is what it needs. */
  dropOf(document: string): void {
    this.#targets = this.#targets.filter((target) => target.document !== document);
  }

  clear(): void {
    this.#targets = [];
  }
}
