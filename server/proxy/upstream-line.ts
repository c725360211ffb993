// The line of requests in front of the upstream. Connections grow with demand up to a bound, and only so many are
// being opened at once: a burst of them would overflow the backlog of the upstream (511 in Node and nginx), and
// connections that fall out of it come back seconds later. Who finds no place waits, first come, first served; a
// place that becomes free comes with its kept connection.
//
// Websockets keep theirs for long, so they take of the same bound without waiting, but not the last quarter of it:
// pages come through however many there are.

export interface Place {
  /** The connection is there: the next one may be opened. */
  connected(): void;
  /** Its connection is free or gone; also before its turn came. Any number of times. */
  leave(): void;
}

/** Connections that are being opened at once. */
const mostOpening = 256;

export class UpstreamLine {
  readonly #most: number;
  readonly #onFull: () => void;
  #taken = 0;
  #opening = 0;
  #tunnels = 0;
  #connectedMs = Number.NEGATIVE_INFINITY;
  /** In the order they came: a Set forgets those in its middle, who gave up, at no cost. */
  readonly #waiting = new Set<() => void>();

  /**
   * @param most connections to the upstream
   * @param onFull called for each request that waits for one of these
   */
  constructor(most: number, onFull: () => void = () => {}) {
    this.#most = most;
    this.#onFull = onFull;
  }

  /** `start` is called once, now or later, and never after `leave`. */
  enter(start: () => void): Place {
    let [isStarted, isOpening, hasLeft] = [false, false, false];
    const go = () => {
      [isStarted, isOpening] = [true, true];
      this.#taken++;
      this.#opening++;
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
    if (this.#hasPlace()) go();
    else {
      if (this.#isFull()) this.#onFull();
      this.#waiting.add(go);
    }
    return {
      connected: onConnected,
      leave: () => {
        if (hasLeft) return;
        hasLeft = true;
        if (!isStarted) {
          this.#waiting.delete(go);
          return;
        }
        // Behind node:http's Agent, which takes a kept connection back in this turn.
        process.nextTick(() => {
          this.#taken--;
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

  #isFull(): boolean {
    const left = Math.max(this.#most - this.#tunnels, Math.ceil(this.#most / 4));
    return this.#taken >= left;
  }

  #hasPlace(): boolean {
    return this.#opening < mostOpening && !this.#isFull();
  }

  #goOn(): void {
    for (const go of this.#waiting) {
      if (!this.#hasPlace()) return;
      this.#waiting.delete(go);
      go();
    }
  }
}
