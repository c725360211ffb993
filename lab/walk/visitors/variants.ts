// What is compared: each variant is the same site with other hints.

import type { HoldbackReport } from '../../../prefetchd/index.ts';
import type { HintsOptions } from '../../../server/index.ts';
import { directly, nginxWithLog, type OpenFront, prefetchdProxy } from './front.ts';
import { siteOf } from './site.ts';

export interface SiteSettings {
  seed: number;
  /** Of pages. */
  cacheControl: string | null;
  /** null: the site has no middleware. */
  hints: HintsOptions | null;
  /** Into the head of each page. */
  head: string;
}

/** What the site says at the end: requests for pages, and what it learned of its holdback. */
export interface SiteCounts {
  /** All of them. */
  pages: number;
  /** Of these, with Sec-Purpose. */
  prefetches: number;
  /** Of these, answered with 503. */
  refused: number;
  holdback?: SiteHoldback;
}

export interface SiteHoldback {
  report: HoldbackReport;
  /** Addresses of visitors who got no hints. */
  heldBack: string[];
}

export interface Variant {
  /** For `--variants`. */
  name: string;
  /** For the table. */
  label: string;
  site: (seed: number) => Pick<SiteSettings, 'hints' | 'head'>;
  front: OpenFront;
  /** How many times as many visitors; absent: as many. */
  visitorsTimes?: number;
}

/** The one that the others are compared with. */
export const withoutHints = 'none';
export const withHoldback = 'holdback';

const rules = (content: object) =>
  `<script type="speculationrules">${JSON.stringify(content)}</script>`;

const beacon = '<script src="/prefetch-beacon.js" async></script>';
const plain = () => ({ hints: null, head: '' });
const learned = (hints: HintsOptions) => () => ({ hints, head: '' });

export const variants: readonly Variant[] = [
  { name: withoutHints, label: 'no hints', site: plain, front: directly },
  { name: 'learned', label: '`hints()`', site: learned({}), front: directly },
  {
    name: 'document-rule',
    label: 'document rule, moderate',
    site: () => ({
      hints: null,
      head: rules({ prefetch: [{ where: { href_matches: '/*' }, eagerness: 'moderate' }] }),
    }),
    front: directly,
  },
  {
    name: 'learned-moderate',
    label: "`otherLinks: 'moderate'`",
    site: learned({ prefetchd: { otherLinks: 'moderate' } }),
    front: directly,
  },
  {
    name: 'learned-conservative',
    label: "`otherLinks: 'conservative'`",
    site: learned({ prefetchd: { otherLinks: 'conservative' } }),
    front: directly,
  },
  {
    name: 'fixed',
    label: 'three popular pages at once',
    site: (seed) => {
      const urls = siteOf(seed).byPopularity.slice(0, 3);
      return { hints: null, head: rules({ prefetch: [{ urls, eagerness: 'immediate' }] }) };
    },
    front: directly,
  },
  {
    name: 'prerender',
    label: "`prerender: 'immediate'`, beacon",
    site: () => ({ hints: { prefetchd: { prerender: 'immediate' } }, head: beacon }),
    front: directly,
  },
  { name: 'proxy', label: '`prefetchd proxy`', site: plain, front: prefetchdProxy },
  { name: 'nginx', label: 'nginx, log followed', site: plain, front: nginxWithLog },
  {
    name: withHoldback,
    label: '`holdback: 50`, beacon',
    site: () => ({ hints: { prefetchd: { holdback: 50 } }, head: beacon }),
    front: directly,
    // Fewer than 30 visitors in each half are too early to say.
    visitorsTimes: 2,
  },
];
