// Notices that something else prefetches the pages of a site, whose visits are then seen in part.

import type { Notice } from '../notice.ts';

/** Prefetches of pages in a row that nothing here had hinted. */
const enough = 20;

const message =
  'pages are prefetched by something else than these hints (a script such as quicklink, rules of the site or of its CDN); a visit that is shown from there is learned only if the page embeds something that is not cached, or has the beacon: add <script src="/prefetch-beacon.js" async></script> to the pages, or switch the other off';

export class ForeignPrefetches {
  readonly #onNotice: (notice: Notice) => void;
  #foreign = 0;

  constructor(onNotice: (notice: Notice) => void) {
    this.#onNotice = onNotice;
  }

  /** A page is prefetched. @param isOurs it was hinted to this client */
  prefetched(isOurs: boolean): void {
    if (this.#foreign >= enough) return;
    this.#foreign = isOurs ? 0 : this.#foreign + 1;
    if (this.#foreign === enough) this.#onNotice({ level: 'warn', message });
  }
}
