// X-Robots-Tag: a site that keeps a page from search engines means the page for those who have its address.

/** True for `noindex` or `none`, for all robots or for one: `googlebot: noindex, nofollow`. */
export function saysNoIndex(robotsTag: string): boolean {
  return /(?:^|[,:])[ \t]*(?:noindex|none)[ \t]*(?:,|$)/i.test(robotsTag);
}
