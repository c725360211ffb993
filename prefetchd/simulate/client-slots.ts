// Bounds the clients that are simulated at a time: each gets a slot, and the one that was silent longest
// gives its slot up when all are taken. Which slot serves which access does not depend on p, w or i, so
// one assignment serves every point.

const none = -1;

export class ClientSlots {
  /** Of the last `assign`: the slot was another client's, whose state has to go. */
  taken = false;
  readonly #slotOf: Int32Array;
  readonly #clientOf: Int32Array;
  readonly #newer: Int32Array;
  readonly #older: Int32Array;
  #newest = none;
  #oldest = none;
  #used = 0;

  constructor(clients: number, maxClients: number) {
    this.#slotOf = new Int32Array(clients).fill(none);
    const slots = Math.max(1, Math.min(clients, maxClients));
    this.#clientOf = new Int32Array(slots);
    this.#newer = new Int32Array(slots);
    this.#older = new Int32Array(slots);
  }

  get count(): number {
    return this.#clientOf.length;
  }

  assign(client: number): number {
    this.taken = false;
    let slot = this.#slotOf[client] as number;
    if (slot !== none) {
      if (slot === this.#newest) return slot;
      this.#unlink(slot);
    } else {
      if (this.#used < this.count) {
        slot = this.#used++;
      } else {
        slot = this.#oldest;
        this.#unlink(slot);
        this.#slotOf[this.#clientOf[slot] as number] = none;
        this.taken = true;
      }
      this.#slotOf[client] = slot;
      this.#clientOf[slot] = client;
    }
    this.#link(slot);
    return slot;
  }

  #link(slot: number): void {
    this.#older[slot] = this.#newest;
    this.#newer[slot] = none;
    if (this.#newest === none) this.#oldest = slot;
    else this.#newer[this.#newest] = slot;
    this.#newest = slot;
  }

  #unlink(slot: number): void {
    const [newer, older] = [this.#newer[slot] as number, this.#older[slot] as number];
    if (newer === none) this.#newest = older;
    else this.#older[newer] = older;
    if (older === none) this.#oldest = newer;
    else this.#newer[older] = newer;
  }
}
