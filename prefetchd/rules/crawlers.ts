// Declared crawlers of search engines, archives and public corpora whose operators say that they honour robots.txt. A
// page that such a crawler fetched is linked publicly, and its site does not exclude it. A user agent can be forged,
// so this is necessary evidence, never sufficient: the name of the page and its response are judged as well.
//
// Not listed: programs that fetch what a person asks for (ChatGPT-User, facebookexternalhit, FeedFetcher-Google),
// that ignore `User-agent: *` (AdsBot-Google, Mediapartners-Google) or are disputed (Bytespider, PerplexityBot), tools
// that examine sites (AhrefsBot, SemrushBot), and scanners.

import { tokenIn } from './path-token.ts';

/** Longest part of a user agent examined. */
const longestUserAgent = 1024;

/** With a version where the crawler sends one, so that a program that only mentions its name is none. */
const crawlers = new RegExp(
  `(?<![\\w-]|like )(?:${[
    // search engines
    '(?:googlebot(?:-image|-news|-video)?|googleother)/',
    '(?:bingbot|msnbot|duckduckbot|duckassistbot|applebot|seznambot|petalbot|mojeekbot|amazonbot)/',
    '(?:yandexbot|yandexmobilebot|baiduspider(?:-render|-image)?|coccocbot-(?:web|image))/',
    '(?:qwantbot(?:-[a-z]{1,16})?|qwantify(?:-[a-z]{1,16})?|mail\\.ru_bot)/',
    'baiduspider\\+',
    'yahoo! slurp(?:;|/|$)',
    'sogou (?:web|inst|pic) spider/',
    'yeti/\\d[\\d.]{0,8};? \\+?https?://',
    // archives and corpora
    'archive\\.org_bot|special_archiver/|ia_archiver(?![\\w/-])|ccbot/',
    // language models, documented to honour robots.txt
    '(?:gptbot|oai-searchbot|claudebot|claude-searchbot)/',
  ].join('|')})`,
  'i',
);

export function isPublicCrawler(userAgent: string): boolean {
  return crawlers.test(userAgent.slice(0, longestUserAgent));
}

/** True if its name alone does not tell whether a page is public: it has a query (page-query.ts), or an id in its
 *  path (path-token.ts). @param target path and query */
export function needsProof(target: string): boolean {
  return target.includes('?') || target.split('/').some((segment) => tokenIn(segment) === 'short');
}
