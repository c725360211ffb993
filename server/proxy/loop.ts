// A request that comes back to the proxy that sent it on would go round until its header section is too large. Each proxy
// puts a name of its own into CDN-Loop (RFC 8586), and takes no request that has it. (Via, RFC 9110 7.6.3, would do, but
// nginx compresses nothing for requests that carry it; see the option `via`.)

import { randomBytes } from 'node:crypto';
import type { Fields } from './end-to-end-fields.ts';

const field = 'cdn-loop';

export class LoopMark {
  readonly #name = `loadahead-${randomBytes(6).toString('hex')}`;

  /** It passed here before. */
  isOn(value: string | undefined): boolean {
    return value?.includes(this.#name) === true;
  }

  add(fields: Fields): void {
    const before = fields.get(field)?.values ?? [];
    fields.set(field, { name: 'CDN-Loop', values: [[...before, this.#name].join(', ')] });
  }
}
