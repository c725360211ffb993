// A deadline for what a peer has to send. Node runs due timers before it reads its sockets: after the process was busy
// for a while, bytes that had arrived in time would count as late. So sockets are read again before a deadline passes.

export class Deadline {
  #timer: NodeJS.Timeout | undefined;
  #afterReading: NodeJS.Immediate | undefined;

  /** Starts the deadline, in place of an earlier one; it does not keep the process alive. */
  start(timeoutMs: number, onLate: () => void): void {
    this.stop();
    this.#timer = setTimeout(() => {
      this.#afterReading = setImmediate(onLate);
    }, timeoutMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#afterReading);
  }
}
