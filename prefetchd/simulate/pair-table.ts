// Maps two numbers, such as a client and a file, to an entry number, for millions of pairs: open addressing with linear
// probing in three typed arrays, at most half full. A removal moves later keys of the run back, so there are no
// tombstones, and lookups never slow down.

const absent = -1;

export class PairTable {
  #clients = new Int32Array(16);
  #files = new Int32Array(16);
  #entries = new Int32Array(16).fill(absent);
  #mask = 15;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The entry, or -1. */
  get(client: number, file: number): number {
    return this.#entries[this.#find(client, file)] as number;
  }

  set(client: number, file: number, entry: number): void {
    let at = this.#find(client, file);
    if (this.#entries[at] === absent) {
      if (this.#size * 2 >= this.#mask) {
        this.#grow();
        at = this.#find(client, file);
      }
      this.#size++;
    }
    this.#put(at, client, file, entry);
  }

  delete(client: number, file: number): void {
    let hole = this.#find(client, file);
    if (this.#entries[hole] === absent) return;
    this.#size--;
    for (let at = (hole + 1) & this.#mask; ; at = (at + 1) & this.#mask) {
      const entry = this.#entries[at] as number;
      if (entry === absent) break;
      const [ofClient, ofFile] = [this.#clients[at] as number, this.#files[at] as number];
      const home = hash(ofClient, ofFile) & this.#mask;
      // The key may move back only if its home is not between the hole and its place.
      if (((at - home) & this.#mask) < ((at - hole) & this.#mask)) continue;
      this.#put(hole, ofClient, ofFile, entry);
      hole = at;
    }
    this.#entries[hole] = absent;
  }

  #find(client: number, file: number): number {
    const [entries, clients, files, mask] = [this.#entries, this.#clients, this.#files, this.#mask];
    let at = hash(client, file) & mask;
    while (entries[at] !== absent && (files[at] !== file || clients[at] !== client)) {
      at = (at + 1) & mask;
    }
    return at;
  }

  #put(at: number, client: number, file: number, entry: number): void {
    this.#clients[at] = client;
    this.#files[at] = file;
    this.#entries[at] = entry;
  }

  #grow(): void {
    const [clients, files, entries] = [this.#clients, this.#files, this.#entries];
    const capacity = entries.length * 2;
    this.#clients = new Int32Array(capacity);
    this.#files = new Int32Array(capacity);
    this.#entries = new Int32Array(capacity).fill(absent);
    this.#mask = capacity - 1;
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at] as number;
      if (entry === absent) continue;
      const [client, file] = [clients[at] as number, files[at] as number];
      this.#put(this.#find(client, file), client, file, entry);
    }
  }
}

function hash(client: number, file: number): number {
  const mixed = Math.imul(client, 0x9e3779b1) ^ Math.imul(file + 0x7f4a7c15, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
