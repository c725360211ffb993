// Work that is begun a few at a time in each turn of the event loop, in fair turns (turns.ts): between two of them
// everybody else is read and written to. For what a client can ask for at no cost of its own.

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
