// Gives each page one spelling: that of the site's links, because under another a browser fetches the page twice:
//   queries  without tracking parameters; the others in the order in which the page was first seen. Only queries that
//            may be learned (page-query.ts) are remembered, so that searches and tokens cannot flush the table; the
//            order of other queries is kept.
//   escapes  `/%d0%bf`, `/%D0%BF` and `/п` are one page (RFC 3986 6.2.2); it has the spelling in which it was first
//            requested. A page that is known in its normal form keeps that form, so that nobody changes it by
//            requesting `/%6eews`.
// The tables hold the latest pages. A page that was evicted gets the spelling in which it is seen next.

import { LatestMap } from '../../process/latest-map.ts';
import { ownText } from '../../process/text-memo.ts';
import { kindOfPath } from './access-kind.ts';
import { isPageQuery, mostParameters } from './page-query.ts';

const mostPages = 10_000;
const mostPaths = 5_000;
/** Longest URL that the table keeps, characters; a longer one gets its parameters sorted. */
const longestPage = 512;

export class QuerySpelling {
  /** Pages as first seen, by their URLs with sorted parameters. */
  readonly #pages = new LatestMap<string, string>(mostPages);

  /** Returns the page's URL in its one spelling; the query of a file (`/a.css?v=3`) is kept. @param search query with
   *  `?`, or empty */
  of(path: string, search: string): string {
    if (search === '' || kindOfPath(path) === 'object') return path + search;
    const pairs = search.slice(1).split('&').filter(isKept);
    if (pairs.length === 0) return path;
    const page = `${path}?${pairs.join('&')}`;
    if (pairs.length === 1 || pairs.length > mostParameters) return page;
    const sorted = `${path}?${pairs.toSorted().join('&')}`;
    const known = this.#pages.get(sorted);
    if (known !== undefined) return known;
    if (!isPageQuery(page.slice(path.length + 1))) return page;
    if (page.length > longestPage) return sorted;
    this.#pages.set(sorted, ownText(page));
    return page;
  }
}

export class PathSpelling {
  readonly #isKnown: (path: string) => boolean;
  readonly #spellings = new LatestMap<string, string>(mostPaths);

  constructor(isKnown: (path: string) => boolean) {
    this.#isKnown = isKnown;
  }

  /**
   * Returns the one spelling of a path. @param normal the normal form of the path @param path the path as it was sent
   */
  of(normal: string, path: string): string {
    const known = this.#spellings.get(normal);
    if (known !== undefined) return known;
    if (!path.includes('%') || (path !== normal && this.#isKnown(normal))) return normal;
    this.#spellings.set(ownText(normal), ownText(path));
    return path;
  }
}

function isKept(pair: string): boolean {
  if (pair === '') return false;
  const equals = pair.indexOf('=');
  const name = equals === -1 ? pair : pair.slice(0, equals);
  return !isTrackingParameter(name.includes('%') ? decodedName(name) : name);
}

function decodedName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

const trackingPrefixes = /^(?:utm|hsa|mtm|piwik|matomo|oly|vero|_bta)_/;

const trackingNames = new Set(
  `gclid gclsrc gbraid wbraid dclid gad_source gad_campaignid srsltid _ga _gl _gac _gid
   fbclid fb_action_ids fb_action_types fb_ref fb_source igshid igsh mibextid
   msclkid twclid ttclid li_fat_id epik rdt_cid sccid irclickid irgwc cjevent ranmid raneaid ransiteid
   yclid ysclid ymclid _openstat pk_campaign pk_kwd pk_keyword pk_source pk_medium pk_content pk_cid
   itm_source itm_medium itm_campaign itm_content itm_term at_medium at_campaign
   mc_cid mc_eid mkt_tok _hsenc _hsmi __hssc __hstc __hsfp hsctatracking _kx dm_i ml_subscriber ml_subscriber_hash
   rb_clickid wickedid s_cid s_kwcid wt_mc wt.mc_id ef_id
   ref_src ref_url __s guccounter guce_referrer guce_referrer_sig wprov sfnsn spm _branch_match_id
   _branch_referrer`.split(/\s+/),
);

/**
 * Returns whether a parameter is one by which campaigns, advertisers, newsletters and analytics count where visitors
 * come from. They do not choose the page, so a page is one node with and without them. Names are case-insensitive. The
 * list has only names that no site uses for anything else: dropping one that chooses the page would make two pages one.
 * @param name decoded
 */
function isTrackingParameter(name: string): boolean {
  const lower = name.toLowerCase();
  return trackingNames.has(lower) || trackingPrefixes.test(lower);
}
