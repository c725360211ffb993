// How the links of a page write the URLs of its next pages, tracking parameters included. `/news` and
// `/news?utm_source=home` are one node, but a browser finds a prefetched page only under the URL of the link, unless
// the site sends No-Vary-Search. So hints name the URL that most visitors of the page opened from there, as a vote with
// one candidate finds it (Boyer and Moore 1981). The votes are kept in this process only.
//
// A parameter may identify a visitor (`fbclid`, `mc_eid`). So a URL takes part only if its query could be that of a
// page (name-rule.ts), and is hinted only after as many clients opened it as such a page needs.

import { LRUCache } from 'lru-cache';
import { ownText } from '../../process/text-memo.ts';
import { manyClients } from '../model/graph/graph.ts';

const mostLinks = 5_000;
const longestLink = 1_024;
/** Most votes of a candidate, and so the votes for other URLs that replace it. */
const mostVotes = 50;

interface SpellingCandidate {
  url: string;
  votes: number;
  /** Fingerprints of clients (client-sets.ts), at most `manyClients`. */
  readonly clients: Set<number>;
}

export class LinkedSpellings {
  /** Keyed by the URLs of page and target in the graph. */
  readonly #links = new LRUCache<string, SpellingCandidate>({ max: mostLinks });

  /** A client opened `target` from a page by the URL `url`. */
  followed(page: string, target: string, url: string, client: number): void {
    const link = `${page} ${target}`;
    if (link.length + url.length > longestLink) return;
    const known = this.#links.get(link);
    if (known?.url === url) {
      known.votes = Math.min(known.votes + 1, mostVotes);
      if (known.clients.size < manyClients) known.clients.add(client);
    } else if (known !== undefined && known.votes > 1) known.votes--;
    else
      this.#links.set(ownText(link), { url: ownText(url), votes: 1, clients: new Set([client]) });
  }

  /** The URL by which to hint a page. */
  of(page: string, target: string): string {
    const known = this.#links.peek(`${page} ${target}`);
    return known !== undefined && known.clients.size >= manyClients ? known.url : target;
  }

  clear(): void {
    this.#links.clear();
  }
}
