// Collects facts that browsers reveal: whose pages report when they are shown, by the beacon or by requests for
// speculation rules; which pages have the beacon; whether something else prefetches pages; and what Referers name.
//
// `Votes` finds what most of the latest visitors say of something. Each visitor has one vote, and only the latest votes
// count, so a change is found soon. The browsers of visitors vote on
//   - the largest image of each page (Largest Contentful Paint), as the beacon reports it. Browsers find it late if a
//     style sheet or a script names it, so a preload pays.
//   - how the links of a page write the URL of a next page, tracking parameters included. `/news` and
//     `/news?utm_source=home` are one node, but a browser finds a prefetched page only by the URL of the link, unless
//     the site sends No-Vary-Search. A parameter may identify a visitor (`fbclid`, `mc_eid`), so a URL takes part only
//     if its query could be that of a page (deny-list.ts), and wins only with as many clients as such a page needs.
// Votes are only in memory, because visitors vote again after a restart.

import type { Logger } from '../../options/logger.ts';
import { LatestMap } from '../../process/latest-map.ts';
import { ownText, textHash } from '../../process/text-memo.ts';
import type { Access } from '../access.ts';
import type { Hint } from '../wire/hint.ts';
import { originIn } from './sites.ts';
import type { Pseudonym, Visitors } from './visitors.ts';

export class BrowserSigns {
  readonly #visitors: Visitors;
  /** For each page: the addresses whose browsers sent reports from it (beacons), or `known` once `minClients` have. */
  readonly #pages: LatestMap<number, Set<string> | 'known'>;
  readonly #minClients: number;

  constructor(visitors: Visitors, options: { maxNodes: number; minClients: number }) {
    this.#visitors = visitors;
    this.#pages = new LatestMap(options.maxNodes);
    this.#minClients = options.minClients;
  }

  /** Notes that a client sent a report (beacon) from a page. @returns true if none of the client was known before */
  beacon({ client, address }: Pseudonym, page: number): boolean {
    const isFirst = !this.sendsBeacons(client);
    this.#visitors.visitorOf(client).sendsBeacons = true;
    const told = this.#pages.get(page) ?? new Set();
    if (told !== 'known') {
      told.add(address);
      this.#pages.set(page, told.size >= this.#minClients ? 'known' : told);
    }
    return isFirst;
  }

  sendsBeacons(client: string): boolean {
    return this.#visitors.find(client)?.sendsBeacons === true;
  }

  /** Returns whether the client will report when it shows a page that it prefetches. @param isByRules true if
   *  speculation rules cause the prefetch */
  reportsShown(client: string, page: number, isByRules: boolean): boolean {
    const { readsRules = false, sendsBeacons = false } = this.#visitors.find(client) ?? {};
    return (isByRules && readsRules) || (sendsBeacons && this.#hasBeacon(page));
  }

  #hasBeacon(page: number): boolean {
    return this.#pages.get(page) === 'known';
  }

  /** Sets `hasBeacon` in the hints to pages from which browsers send reports (the beacon). */
  markBeacons(hints: readonly Hint[]): void {
    if (this.#pages.size === 0) return;
    for (const hint of hints) {
      if (hint.kind === 'document' && this.#hasBeacon(textHash(hint.url))) hint.hasBeacon = true;
    }
  }

  /** Forgets which addresses sent beacons, because the pseudonyms of addresses change. */
  forgetClients(): void {
    for (const told of this.#pages.values()) if (told !== 'known') told.clear();
  }

  /** Forgets which pages have a beacon, because some URLs were deleted from the store. */
  forgetUrls(): void {
    this.#pages.clear();
  }
}

/** After this many prefetches of pages in a row that no hint of ours caused, something else must cause them. */
const enough = 20;

const foreignMessage =
  'pages are prefetched by something else than these hints (a script such as quicklink, rules of the site or of its CDN); a visit that is shown from there is learned only if the page embeds something that is not cached, or has the beacon: add <script src="/prefetch-beacon.js" async></script> to the pages, or switch the other off';

/** Warns the operator if something else than our hints makes browsers prefetch the pages of the site: visits to
 *  prefetched pages cause no request, so they are learned only in part. */
export class ForeignPrefetches {
  readonly #log: Logger;
  #foreign = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Counts successive prefetches not caused by our hints. @param isOurs true if the page was hinted to the client */
  prefetched(isOurs: boolean): void {
    if (this.#foreign >= enough) return;
    this.#foreign = isOurs ? 0 : this.#foreign + 1;
    if (this.#foreign === enough) this.#log.warn({}, foreignMessage);
  }
}

/** Returns whether an access is a report by a browser, not a request. The `page` of a report by the beacon always has
 *  path and query, unlike a Referer that is cut to its origin. */
export const isReport = ({ shown, unused, vitals }: Access) =>
  shown === true || unused === true || vitals !== undefined;

/**
 * Tells which page a Referer names. Under a policy such as `strict-origin` the Referer is cut to the origin (Referrer
 * Policy 8.3), whatever page is shown, and looks like that of the start page. So the origin alone names a page only if
 * some Referer of the site had a path.
 */
export class RefererPages {
  #havePaths = false;

  /** Returns the access, without its `page` (from the Referer) if that may stand for any page of the site. */
  withoutForgedPage(access: Access): Access {
    const { page, ...others } = access;
    if (page === undefined || this.#havePaths || isReport(access)) return access;
    this.#havePaths = page.slice(originIn(page).length) !== '/';
    return this.#havePaths ? access : others;
  }
}

export interface Winner {
  readonly choice: string;
  /** Share of the voters (addresses) whose latest vote is for this choice, 0..1. */
  readonly share: number;
}

interface Poll {
  /** For each voter (an address), the choice of its latest vote, such as an image's URL; oldest vote first. */
  readonly votes: Map<string | number, string>;
  winner: Winner | null;
}

const mostVotes = 16;
const longestText = 1024;

export class Votes {
  readonly #polls: LatestMap<string, Poll>;
  readonly #least: number;

  /** @param options `most`: limit on the subjects (such as pages) about which browsers' reports are kept as votes;
   *  `least`: number of distinct voters (addresses) that must have voted for a choice before it wins */
  constructor(options: { most: number; least: number }) {
    this.#polls = new LatestMap(options.most);
    this.#least = options.least;
  }

  /** Returns what most voters chose for the subject, such as the largest image of a page; if too few agree now, the
   *  last choice on which enough agreed. */
  winnerOf(subject: string): Winner | null {
    return this.#polls.get(subject)?.winner ?? null;
  }

  vote(subject: string, voter: string | number, choice: string): void {
    if (subject.length + choice.length > longestText) return;
    const poll = this.#polls.get(subject) ?? { votes: new Map(), winner: null };
    const { votes } = poll;
    votes.delete(voter);
    votes.set(voter, ownText(choice));
    if (votes.size > mostVotes) votes.delete(votes.keys().next().value as string);
    poll.winner = this.#winnerOf([...votes.values()]) ?? poll.winner;
    this.#polls.set(ownText(subject), poll);
  }

  /** Forgets who voted for what, as the pseudonyms of voters (addresses) change, but keeps the winning choices. */
  forgetVoters(): void {
    for (const { votes } of this.#polls.values()) votes.clear();
  }

  clear(): void {
    this.#polls.clear();
  }

  #winnerOf(choices: readonly string[]): Winner | null {
    const counts = [...Map.groupBy(choices, (choice) => choice)];
    const [[choice, { length }]] = counts.sort(
      ([, one], [, other]) => other.length - one.length,
    ) as [[string, string[]]];
    return length < this.#least ? null : { choice, share: length / choices.length };
  }
}
