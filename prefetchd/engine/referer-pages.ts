// Which page a Referer names. Under a policy such as `strict-origin` it is cut to the origin (Referrer Policy 8.3), whatever
// page is shown, and looks like the start page. So the origin alone names a page only where some Referer of the site had a
// path.

import type { Access } from '../access.ts';
import { originIn } from './sites.ts';

/** What a browser says of a page by the beacon names it in full. */
const isReport = ({ shown, unused, vitals }: Access) =>
  shown === true || unused === true || vitals !== undefined;

export class RefererPages {
  #havePaths = false;

  /** @returns the access, without `page` if that may be any */
  of(access: Access): Access {
    const { page, ...others } = access;
    if (page === undefined || this.#havePaths || isReport(access)) return access;
    this.#havePaths = page.slice(originIn(page).length) !== '/';
    return this.#havePaths ? access : others;
  }
}
