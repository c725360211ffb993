// Detects proxy loops, in which a request would circulate until its header becomes too large. Each proxy adds a
// unique name to CDN-Loop (RFC 8586) and refuses requests that contain it. (Via, RFC 9110 7.6.3, would do, but nginx
// does not compress responses to requests that have it; see the option `via`.)

import { randomBytes } from 'node:crypto';
import type { Fields } from './end-to-end-fields.ts';

const field = 'cdn-loop';

export class LoopMark {
  readonly #name = `loadahead-${randomBytes(6).toString('hex')}`;

  /** True if the request has passed here before. */
  isOn(value: string | undefined): boolean {
    return value?.includes(this.#name) === true;
  }

  add(fields: Fields): void {
    const before = fields.get(field)?.values ?? [];
    fields.set(field, { name: 'CDN-Loop', values: [[...before, this.#name].join(', ')] });
  }
}
