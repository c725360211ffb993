// How the links of a page write its next pages, tracking parameters included. `/news` and `/news?utm_source=home` are
// one node, but a browser finds what it prefetched under the URL of the link alone, unless the site sends
// No-Vary-Search. So hints name the URL that most visitors of the page opened from there, as a vote of one candidate
// finds it (Boyer and Moore 1981). It counts in this process only.
//
// A value may be a visitor's own (`fbclid`, `mc_eid`). So a URL takes part only if it could be a page by its query
// (name-rule.ts), and is hinted after as many clients as such a page.

import { LRUCache } from 'lru-cache';
import { ownText } from '../../process/text-memo.ts';
import { manyClients } from '../model/graph/graph.ts';

const mostLinks = 5_000;
const longestLink = 1_024;
/** So many votes the other way change what a page is known to link. */
const mostVotes = 50;

interface Candidate {
  url: string;
  votes: number;
  /** Fingerprints of clients (client-sets.ts), at most `manyClients`. */
  readonly clients: Set<number>;
}

export class LinkedSpellings {
  /** By the URLs of page and target in the graph. */
  readonly #links = new LRUCache<string, Candidate>({ max: mostLinks });

  /** A client opened `target` from a page, as `url`. */
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

  /** How to hint a page. */
  of(page: string, target: string): string {
    const known = this.#links.peek(`${page} ${target}`);
    return known !== undefined && known.clients.size >= manyClients ? known.url : target;
  }

  clear(): void {
    this.#links.clear();
  }
}
