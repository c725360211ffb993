// Whether a page allows its links to be followed. It can forbid single links or all of them, in its HTML or by
// `X-Robots-Tag`. Rules for all agents and for ours apply.

import { fieldLines, type HeaderPair } from '../../http/header-pairs.ts';
import { NoFollowScanner } from '../scan/no-follow.ts';
import { productToken } from './robots-rules.ts';

/** Largest number of links remembered; a page with more nofollow links is not followed at all. */
const mostLinks = 2_000;
/** Members of X-Robots-Tag whose text before the colon is not an agent name. */
const withValue =
  /^(?:unavailable_after|max-snippet|max-image-preview|max-video-preview|noarchive|indexifembedded)$/i;

export class FollowRules {
  /** Our product token, in lower case. */
  readonly #agent: string;
  readonly #links = new Set<string>();
  #isForAll = false;
  #scanner: NoFollowScanner | null = null;

  constructor(userAgent: string) {
    this.#agent = productToken(userAgent);
  }

  /** Begins a document, or the same one again. */
  begin(url: string, headers: readonly HeaderPair[], contentType: string): void {
    this.#links.clear();
    const tags = fieldLines(headers, 'x-robots-tag');
    this.#isForAll = tags.some((tag) => tagForbids(tag, this.#agent));
    this.#scanner = new NoFollowScanner({
      url,
      contentType,
      onLink: (link) => {
        if (this.#links.size < mostLinks) this.#links.add(link);
        else this.#isForAll = true;
      },
      onMeta: (name, content) => {
        if (name !== 'robots' && (name !== this.#agent || name === '')) return;
        this.#isForAll ||= content.split(',').some(forbids);
      },
    });
  }

  /** @param bytes Of the document, content coding removed. */
  write(bytes: Uint8Array): void {
    if (!this.#isForAll) this.#scanner?.write(bytes);
  }

  end(): void {
    if (!this.#isForAll) this.#scanner?.end();
  }

  follows(url: string): boolean {
    return !this.#isForAll && !this.#links.has(url);
  }
}

/** `nofollow`, or `someone: noindex, nofollow`, which applies to the named agent only. */
function tagForbids(value: string, agent: string): boolean {
  let isOurs = true;
  for (const member of value.split(',')) {
    const colon = member.indexOf(':');
    const name = member.slice(0, Math.max(0, colon)).trim().toLowerCase();
    const isAgent = colon !== -1 && !withValue.test(name) && /^[a-z0-9_*-]+$/.test(name);
    if (isAgent) isOurs = name === '*' || name === agent;
    if (isOurs && forbids(isAgent ? member.slice(colon + 1) : member)) return true;
  }
  return false;
}

function forbids(member: string): boolean {
  return /^(?:nofollow|none)$/i.test(member.trim());
}
