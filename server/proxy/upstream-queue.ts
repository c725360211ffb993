// Queues requests for upstream connections. Connections grow with demand up to a limit, and only some are being opened
// at once: a burst would overflow the upstream's backlog (511 in Node and nginx), and dropped attempts take seconds. A
// request needs a place, which stands for one connection; it waits for one, and a place that is released comes with its
// kept connection. Places are given in turns (../listen/turns.ts), and one address never gets all of them.
//
// Each turn of the event loop starts a limited number of requests. Every request leads to more work (its response, the
// next request), so a flood would otherwise keep the loop in its poll phase for seconds and starve everyone else.
//
// WebSockets take places as requests do, but hold them for long, so they never get the last quarter of all places or of
// those of an address: pages get through however many WebSockets are open.

import { type Asker, Turns } from '../listen/turns.ts';

export interface QueuePlace {
  /** Tells the queue that the connection is established, so that the next one may be opened. */
  connected(): void;
  /** Gives the place to another request, when its connection is free or closed; may come before `start`, or twice. */
  leave(): void;
}

export interface UpstreamQueueOptions {
  /** Limit on connections to the upstream. */
  readonly most: number;
  /** Limit on the upstream connections that requests from one client address use at a time. */
  readonly mostPerAddress: number;
  /** Called for each request that waits because of `most` or `mostPerAddress`, and each WebSocket that is refused. */
  onFull?(): void;
}

/** Limit on connections being opened at once. */
const mostOpening = 256;
/** Limit on requests started per turn of the event loop: some ten milliseconds of work. */
const mostPerTurn = 64;

export class UpstreamQueue {
  readonly #options: UpstreamQueueOptions;
  #taken = 0;
  #opening = 0;
  #tunnels = 0;
  #begunThisTurn = 0;
  #nextTurn: NodeJS.Immediate | undefined;
  #connectedMs = Number.NEGATIVE_INFINITY;
  /** Number of connections that the requests of each address take; addresses that many visitors share are left out. */
  readonly #takenBy = new Map<string, number>();
  readonly #tunnelsBy = new Map<string, number>();
  readonly #waiting = new Turns();

  constructor(options: UpstreamQueueOptions) {
    this.#options = options;
  }

  /** Queues a request for an upstream connection. `start`, which sends it, is called once or, after `leave`, never. */
  enter(asker: Asker, start: () => void): QueuePlace {
    let [isStarted, isOpening, hasLeft] = [false, false, false];
    const takePlace = () => {
      [isStarted, isOpening] = [true, true];
      this.#taken++;
      this.#opening++;
      change(this.#takenBy, asker, 1);
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
    if (this.#waiting.size === 0 && this.#hasPlace() && this.#mayStart(asker)) takePlace();
    else {
      if (this.#isFull() || !this.#mayStart(asker)) this.#options.onFull?.();
      this.#waiting.add(asker, takePlace);
      this.#goOn();
    }
    return {
      connected: onConnected,
      leave: () => {
        if (hasLeft) return;
        hasLeft = true;
        if (!isStarted) {
          this.#waiting.delete(asker, takePlace);
          return;
        }
        // A place is freed after node:http's Agent has taken back the kept connection, later in this turn of the event
        // loop.
        process.nextTick(() => {
          this.#taken--;
          change(this.#takenBy, asker, -1);
          closeOpening();
          this.#goOn();
        });
      },
    };
  }

  /** Time when the last connection to the upstream was established, monotonic, ms. */
  get connectedMs(): number {
    return this.#connectedMs;
  }

  /**
   * Queues a WebSocket for a connection to the upstream; the caller must call `leave` of the returned place exactly
   * once. Returns undefined if no more WebSockets may open.
   */
  enterTunnel(asker: Asker, start: () => void): QueuePlace | undefined {
    const { most, mostPerAddress, onFull } = this.#options;
    const own = this.#tunnelsBy.get(asker.address) ?? 0;
    if (this.#tunnels >= withoutLastQuarter(most) || own >= withoutLastQuarter(mostPerAddress)) {
      onFull?.();
      return undefined;
    }
    this.#tunnels++;
    change(this.#tunnelsBy, asker, 1);
    const { connected, leave } = this.enter(asker, start);
    return {
      connected,
      leave: () => {
        this.#tunnels--;
        change(this.#tunnelsBy, asker, -1);
        leave();
      },
    };
  }

  #mayStart({ address }: { address: string }): boolean {
    return (this.#takenBy.get(address) ?? 0) < this.#options.mostPerAddress;
  }

  #isFull(): boolean {
    return this.#taken >= this.#options.most;
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
      const start = this.#waiting.next((address) => this.#mayStart({ address }));
      if (start === undefined) return;
      start();
    }
  }
}

function withoutLastQuarter(places: number): number {
  return places - Math.ceil(places / 4);
}

function change(counts: Map<string, number>, { address, isShared }: Asker, by: 1 | -1): void {
  if (isShared) return;
  const count = (counts.get(address) ?? 0) + by;
  if (count > 0) counts.set(address, count);
  else counts.delete(address);
}
