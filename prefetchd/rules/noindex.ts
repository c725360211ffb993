// X-Robots-Tag: a site that keeps a page from search engines means it for those who have its address.

/** `noindex` or `none` among the rules, for all robots or for one: `googlebot: noindex, nofollow`. */
export function saysNoIndex(robotsTag: string): boolean {
  return /(?:^|[,:])[ \t]*(?:noindex|none)[ \t]*(?:,|$)/i.test(robotsTag);
}
