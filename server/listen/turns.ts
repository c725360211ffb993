// A queue that is fair: address by address, and of one address connection by connection, one each in turn. Who sends
// ten thousand requests waits behind itself; who sends one is next. Adding, taking and giving up cost the same
// however many wait.

export interface Asker {
  /** Of the visitor, as it is counted. */
  readonly address: string;
  /** Many visitors have it: what one of them may have at most does not hold. */
  readonly isShared: boolean;
  readonly connection: object;
}

type Jobs = Set<() => void>;

export class Turns {
  /** Both maps in the order of turns: who has had one goes to the end. */
  readonly #addresses = new Map<string, Map<object, Jobs>>();
  size = 0;

  add({ address, connection }: Asker, job: () => void): void {
    let connections = this.#addresses.get(address);
    if (connections === undefined) {
      connections = new Map();
      this.#addresses.set(address, connections);
    }
    const jobs = connections.get(connection);
    if (jobs === undefined) connections.set(connection, new Set([job]));
    else jobs.add(job);
    this.size++;
  }

  delete({ address, connection }: Asker, job: () => void): void {
    const connections = this.#addresses.get(address);
    const jobs = connections?.get(connection);
    if (!jobs?.delete(job)) return;
    this.size--;
    if (jobs.size > 0) return;
    connections?.delete(connection);
    if (connections?.size === 0) this.#addresses.delete(address);
  }

  /** The next job of the first address that `mayGo`, out of the queue; undefined: none may. */
  take(mayGo: (address: string) => boolean): (() => void) | undefined {
    for (const [address, connections] of this.#addresses) {
      if (!mayGo(address)) continue;
      for (const [connection, jobs] of connections) {
        for (const job of jobs) {
          this.#addresses.delete(address);
          connections.delete(connection);
          jobs.delete(job);
          this.size--;
          if (jobs.size > 0) connections.set(connection, jobs);
          if (connections.size > 0) this.#addresses.set(address, connections);
          return job;
        }
      }
    }
    return undefined;
  }
}
