// The one guard between a site and this process. node:http and node:http2 throw for what they will not send, and what a
// listener throws ends the process; so the events of an upstream's request and response fail their exchange instead,
// whoever listens to them.

import type { EventEmitter } from 'node:events';

/** What any listener of `emitter` throws is given to `fail`. */
export function guardEvents(emitter: EventEmitter, fail: (error: unknown) => void): void {
  const { emit } = emitter;
  emitter.emit = (...event: Parameters<typeof emit>) => {
    try {
      return emit.apply(emitter, event);
    } catch (error) {
      fail(error);
      return true;
    }
  };
}
