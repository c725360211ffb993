// Limits the number of simultaneously simulated clients: each gets a slot, and if all are taken, the client that has
// been silent longest is replaced. The assignment does not depend on p, w or i, so all points share it.

const none = -1;

export class ClientSlots {
  /** For the last `assign`: true if the slot belonged to another client, whose state must be dropped. */
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
