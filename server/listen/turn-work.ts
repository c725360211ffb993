// Starts a few jobs per turn of the event loop, in fair order (turns.ts), so that everyone else is read and written
// to in between. For work that a client can request at no cost.

import { type Asker, Turns } from './turns.ts';

export class TurnWork {
  readonly #mostPerTurn: number;
  readonly #waiting = new Turns();
  #begun = 0;
  #next: NodeJS.Immediate | undefined;

  constructor(mostPerTurn: number) {
    this.#mostPerTurn = mostPerTurn;
  }

  /** `work` is called once, now or in a later turn. */
  add(asker: Asker, work: () => void): void {
    this.#waiting.add(asker, work);
    this.#goOn();
  }

  #goOn(): void {
    while (this.#begun < this.#mostPerTurn) {
      const work = this.#waiting.take(() => true);
      if (work === undefined) break;
      this.#begun++;
      work();
    }
    if (this.#begun === 0) return;
    this.#next ??= setImmediate(() => {
      this.#next = undefined;
      this.#begun = 0;
      this.#goOn();
    });
  }
}
