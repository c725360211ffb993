// One spelling for each page with a query: without tracking parameters, and with the others in one order. A hint must
// be spelled like the links of the site, or the browser fetches the page twice. So the order is the one in which the
// page was first seen, which a table remembers for the latest pages. Only queries that may be learned (page-query.ts)
// enter the table, so that searches and tokens cannot flush it; the order of other queries is kept.
//
// The table has two generations: when the younger is full, it replaces the older, and entries in use move back. A page
// that was dropped gets the order in which it is seen next.

import { ownText } from '../../process/text-memo.ts';
import { kindOfPath } from './access-kind.ts';
import { isPageQuery, mostParameters } from './page-query.ts';

const mostPagesOfGeneration = 5_000;
/** Longest page in the table, characters; the parameters of a longer one are sorted. */
const longestPage = 512;

export class PageSpelling {
  #younger = new Map<string, string>();
  #older = new Map<string, string>();

  /** @param search with `?`, or empty; the query of a file (`/a.css?v=3`) is kept */
  of(path: string, search: string): string {
    if (search === '' || kindOfPath(path) === 'object') return path + search;
    const pairs = search.slice(1).split('&').filter(isKept);
    if (pairs.length === 0) return path;
    const page = `${path}?${pairs.join('&')}`;
    return pairs.length === 1 || pairs.length > mostParameters
      ? page
      : this.#first(path, page, pairs);
  }

  #first(path: string, page: string, pairs: string[]): string {
    const sorted = `${path}?${pairs.toSorted().join('&')}`;
    const known = this.#younger.get(sorted) ?? this.#older.get(sorted);
    if (known === undefined && !isPageQuery(page.slice(path.length + 1))) return page;
    if (page.length > longestPage) return sorted;
    if (!this.#younger.has(sorted)) this.#remember(sorted, known ?? ownText(page));
    return known ?? page;
  }

  #remember(sorted: string, first: string): void {
    if (this.#younger.size >= mostPagesOfGeneration) {
      this.#older = this.#younger;
      this.#younger = new Map();
    }
    this.#younger.set(sorted, first);
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
 * True for parameters in links that count where visitors come from: of campaigns, advertisers, newsletters and
 * analytics. They do not choose the page, so a page is one node with and without them. Names are case-insensitive. The
 * list has only names that no site uses for anything else: dropping one that chooses the page would make two pages
 * one.
 * @param name decoded
 */
function isTrackingParameter(name: string): boolean {
  const lower = name.toLowerCase();
  return trackingNames.has(lower) || trackingPrefixes.test(lower);
}
