// The line of requests in front of the upstream. Connections grow with demand up to a bound, and only so many are
// being opened at once: a burst of them would overflow the backlog of the upstream (511 in Node and nginx), and
// connections that fall out of it come back seconds later. Who finds no place waits; a place that becomes free comes
// with its kept connection. Places are given in turns (../turns.ts), and one address never has all of them.
//
// Only so many requests begin in one turn of the event loop. What is begun comes back: an answer each, and the
// next request behind it. Without that bound a flood of requests keeps the loop in its poll phase for seconds, and
// nobody else is accepted, read or written to.
//
// Websockets keep theirs for long, so they take of the same bound without waiting, but not the last quarter of it:
// pages come through however many there are.

import { type Asker, Turns } from '../listen/turns.ts';

export interface Place {
  /** The connection is there: the next one may be opened. */
  connected(): void;
  /** Its connection is free or gone; also before its turn came. Any number of times. */
  leave(): void;
}

export interface UpstreamQueueOptions {
  /** Connections to the upstream. */
  readonly most: number;
  /** Of these, for requests of one address. */
  readonly mostPerAddress: number;
  /** Called for each request that waits for one of these. */
  onFull?(): void;
}

/** Connections that are being opened at once. */
const mostOpening = 256;
/** Requests that begin in one turn of the event loop: some ten milliseconds of work. */
const mostPerTurn = 64;

export class UpstreamQueue {
  readonly #options: UpstreamQueueOptions;
  #taken = 0;
  #opening = 0;
  #tunnels = 0;
  #begunThisTurn = 0;
  #nextTurn: NodeJS.Immediate | undefined;
  #connectedMs = Number.NEGATIVE_INFINITY;
  /** By addresses that nobody shares. */
  readonly #takenBy = new Map<string, number>();
  readonly #waiting = new Turns();

  constructor(options: UpstreamQueueOptions) {
    this.#options = options;
  }

  /** `start` is called once, now or later, and never after `leave`. */
  enter(asker: Asker, start: () => void): Place {
    let [isStarted, isOpening, hasLeft] = [false, false, false];
    const go = () => {
      [isStarted, isOpening] = [true, true];
      this.#taken++;
      this.#opening++;
      this.#count(asker, 1);
      this.#begunThisTurn++;
      this.#nextTurn ??= setImmediate(() => this.#onTurn());
      start();
    };
    const closeOpening = () => {
      if (!isOpening) return;
      isOpening = false;
      this.#opening--;
      this.#goOn();
    };
    const onConnected = () => {
      this.#connectedMs = performance.now();
      closeOpening();
    };
    if (this.#waiting.size === 0 && this.#hasPlace() && this.#mayGo(asker)) go();
    else {
      if (this.#isFull() || !this.#mayGo(asker)) this.#options.onFull?.();
      this.#waiting.add(asker, go);
      this.#goOn();
    }
    return {
      connected: onConnected,
      leave: () => {
        if (hasLeft) return;
        hasLeft = true;
        if (!isStarted) {
          this.#waiting.delete(asker, go);
          return;
        }
        // Behind node:http's Agent, which takes a kept connection back in this turn.
        process.nextTick(() => {
          this.#taken--;
          this.#count(asker, -1);
          closeOpening();
          this.#goOn();
        });
      },
    };
  }

  /** When a connection came to be last, ms of the monotonic clock. */
  get connectedMs(): number {
    return this.#connectedMs;
  }

  /** A websocket is there; the result when it is not any more. */
  addTunnel(): () => void {
    this.#tunnels++;
    return () => {
      this.#tunnels--;
      this.#goOn();
    };
  }

  #count({ address, isShared }: Asker, change: 1 | -1): void {
    if (isShared) return;
    const taken = (this.#takenBy.get(address) ?? 0) + change;
    if (taken > 0) this.#takenBy.set(address, taken);
    else this.#takenBy.delete(address);
  }

  #mayGo({ address }: { address: string }): boolean {
    return (this.#takenBy.get(address) ?? 0) < this.#options.mostPerAddress;
  }

  #isFull(): boolean {
    const { most } = this.#options;
    const left = Math.max(most - this.#tunnels, Math.ceil(most / 4));
    return this.#taken >= left;
  }

  #hasPlace(): boolean {
    return this.#begunThisTurn < mostPerTurn && this.#opening < mostOpening && !this.#isFull();
  }

  #onTurn(): void {
    this.#nextTurn = undefined;
    this.#begunThisTurn = 0;
    this.#goOn();
  }

  #goOn(): void {
    while (this.#waiting.size > 0 && this.#hasPlace()) {
      const go = this.#waiting.take((address) => this.#mayGo({ address }));
      if (go === undefined) return;
      go();
    }
  }
}
