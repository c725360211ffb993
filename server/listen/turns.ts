// Implements a fair queue: round robin over addresses, and over the connections of each address. A client with ten
// thousand requests waits behind its own requests; a client with a single one is next. The cost of adding, taking and
// cancelling does not depend on how many jobs wait.

export interface Asker {
  /** The visitor's address in the form in which visitors are counted. */
  readonly address: string;
  /** True if many visitors share the address, so that limits per address do not apply. */
  readonly isShared: boolean;
  readonly connection: object;
}

type Jobs = Set<() => void>;

export class Turns {
  /** The waiting jobs by address, then by connection, in the order of turns: what had its turn moves to the end. */
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

  /** Removes and returns the next job of the first address for which `mayStart` is true; undefined if there is none. */
  next(mayStart: (address: string) => boolean): (() => void) | undefined {
    for (const [address, connections] of this.#addresses) {
      if (!mayStart(address)) continue;
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
