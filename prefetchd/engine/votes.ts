// Finds what most of the latest visitors say of something. Each visitor has one vote, and only the latest votes count,
// so a change is found soon. The browsers of visitors vote on
//   - the largest image of each page (Largest Contentful Paint), as the beacon reports it. Browsers find it late if a
//     style sheet or a script names it, so a preload pays.
//   - how the links of a page write the URL of a next page, tracking parameters included. `/news` and
//     `/news?utm_source=home` are one node, but a browser finds a prefetched page only under the URL of the link, unless
//     the site sends No-Vary-Search. A parameter may identify a visitor (`fbclid`, `mc_eid`), so a URL takes part only
//     if its query could be that of a page (deny-list.ts), and wins only with as many clients as such a page needs.
// Votes are only in memory, because visitors vote again after a restart.

import { LatestMap } from '../../process/latest-map.ts';
import { ownText } from '../../process/text-memo.ts';

export interface Winner {
  readonly choice: string;
  /** The winner's share of the votes, 0..1. */
  readonly share: number;
}

interface Poll {
  /** By voter: what the voter chose; the oldest vote comes first. */
  readonly votes: Map<string | number, string>;
  winner: Winner | null;
}

const mostVotes = 16;
const longestText = 1024;

export class Votes {
  readonly #polls: LatestMap<string, Poll>;
  readonly #least: number;

  /** @param options `most` subjects are kept; `least` distinct voters must agree */
  constructor(options: { most: number; least: number }) {
    this.#polls = new LatestMap(options.most);
    this.#least = options.least;
  }

  /** Returns what most voters chose for the subject or, if too few agree now, the last choice on which enough
   *  agreed. */
  of(subject: string): Winner | null {
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

  /** Forgets who voted, because pseudonyms change. */
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
