// The answer to a request for hints: what hint-choice.ts chose; the largest image of the page; which pages have the
// beacon; and for a visitor who is held back, no pages (holdback/).

import type { Access } from '../access.ts';
import type { Holdback } from '../holdback/holdback.ts';
import type { NodeTable } from '../model/graph/nodes.ts';
import { textHash } from '../model/tables/texts.ts';
import type { Hint } from '../wire/index.ts';
import type { BrowserSigns } from './browser-signs.ts';
import type { HintChoice, Wanted } from './hint-choice.ts';
import type { HintHistory } from './hint-history.ts';

export interface HintAnswerParts {
  choice: HintChoice;
  history: HintHistory;
  signs: BrowserSigns;
  nodes: NodeTable;
  /** null: everybody gets hints. */
  holdback: Holdback | null;
}

/** It speeds up the page that carries it, which is not what a holdback measures. */
const isOfThisPage = ({ kind, navigation }: Hint) => kind === 'object' && navigation === 'current';

export class HintAnswer {
  readonly #parts: HintAnswerParts;

  constructor(parts: HintAnswerParts) {
    this.#parts = parts;
  }

  /** @param access the current request */
  of(access: Access, wanted: Wanted): Hint[] {
    const { choice, holdback, signs } = this.#parts;
    const { client } = wanted;
    const hints =
      holdback === null || client === null || access.kind === 'object'
        ? choice.of(access, wanted)
        : this.#heldBackOrNot(holdback, access, { ...wanted, client });
    if (wanted.kind !== 'document') this.#addLargest(hints, access, wanted);
    signs.markBeacons(hints);
    return hints;
  }

  /** Notes which pages are hinted to the client, or would be, for nobody in particular. */
  #heldBackOrNot(holdback: Holdback, access: Access, wanted: Wanted & { client: string }): Hint[] {
    const { choice } = this.#parts;
    const { client, isShared, kind } = wanted;
    const isHeldBack = holdback.armOf(client) === 'heldBack';
    const forNobody = kind === 'object' ? [] : choice.of(access, { ...wanted, client: null });
    const pages = forNobody.filter((hint) => hint.kind === 'document').map(({ url }) => url);
    holdback.offered(client, access.url, pages, access.timeMs);
    if (isShared) {
      const hints = choice.of(access, { ...wanted, client: isHeldBack ? null : client });
      for (const hint of hints) if (!isOfThisPage(hint)) hint.byRulesOnly = true;
      return hints;
    }
    if (!isHeldBack) return choice.of(access, wanted);
    return kind === 'document'
      ? []
      : choice.of(access, { ...wanted, kind: 'object' }).filter(isOfThisPage);
  }

  /** Beside the limit: it is fetched in any case, only later. It is one that was learned, as all hints. */
  #addLargest(hints: Hint[], { url: page, kind, timeMs }: Access, wanted: Wanted): void {
    const { history, nodes, signs } = this.#parts;
    const { client, isShared, objectThreshold } = wanted;
    const largest = kind === 'document' ? signs.largestOf(textHash(page)) : null;
    if (largest === null || !(largest.share > objectThreshold)) return;
    const { url, share: probability } = largest;
    const how = { navigation: 'current', isLargest: true } as const;
    const known = hints.find((hint) => hint.url === url);
    if (known !== undefined) Object.assign(known, how);
    else if (nodes.mayPreload(url)) {
      const isNew = client === null || history.offer(client, textHash(url), timeMs);
      if (isNew || isShared) hints.push({ url, kind: 'object', probability, ...how });
    }
    hints.sort((one, other) => other.probability - one.probability);
  }
}
