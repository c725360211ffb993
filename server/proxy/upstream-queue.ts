// The queue of requests for upstream connections. Connections grow with demand up to a limit, and only some are being
// opened at once: a burst would overflow the upstream's backlog (511 in Node and nginx), and dropped attempts take
// seconds. A request without a place waits, and a released place comes with its kept connection. Places are given in
// turns (../listen/turns.ts), and one address never gets all of them.
//
// Each turn of the event loop starts a limited number of requests. Every request leads to more work (its response,
// the next request), so a flood would otherwise keep the loop in its poll phase for seconds and starve everyone else.
//
// WebSockets hold their place for long, so they take one without waiting, but never the last quarter: pages get
// through however many there are.

import { type Asker, Turns } from '../listen/turns.ts';

export interface Place {
  /** The connection is established: the next one may be opened. */
  connected(): void;
  /** Release the place: its connection is free or closed. May be called before its turn, and repeatedly. */
  leave(): void;
}

export interface UpstreamQueueOptions {
  /** Most connections to the upstream. */
  readonly most: number;
  /** Most of them for requests of one address. */
  readonly mostPerAddress: number;
  /** Called for each request that has to wait. */
  onFull?(): void;
}

/** Most connections being opened at once. */
const mostOpening = 256;
/** Most requests started per turn of the event loop: some ten milliseconds of work. */
const mostPerTurn = 64;

export class UpstreamQueue {
  readonly #options: UpstreamQueueOptions;
  #taken = 0;
  #opening = 0;
  #tunnels = 0;
  #begunThisTurn = 0;
  #nextTurn: NodeJS.Immediate | undefined;
  #connectedMs = Number.NEGATIVE_INFINITY;
  /** By address, for those that are not shared. */
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
        // After node:http's Agent, which takes back a kept connection in this turn.
        process.nextTick(() => {
          this.#taken--;
          this.#count(asker, -1);
          closeOpening();
          this.#goOn();
        });
      },
    };
  }

  /** Time of the last established connection, ms of the monotonic clock. */
  get connectedMs(): number {
    return this.#connectedMs;
  }

  /** Count a WebSocket; call the result when it closes. */
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
