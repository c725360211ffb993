// What looks like a log that was misread although each line fits: one client with nearly all accesses, or URLs with the
// name of a site in nearly all lines. Bounded: one client is remembered (Boyer and Moore, "MJRTY", 1981).

import type { Access } from '../../prefetchd/access.ts';
import type { LogStatistics } from '../../prefetchd/log/index.ts';

const fewestAccesses = 100;
const nearlyAll = 0.8;
/** A second site with this share of the lines is no noise of scanners. */
const manyLines = 0.05;

export class LayoutSuspicion {
  #accesses = 0;
  #absolute = 0;
  #address = '';
  /** How many more accesses the address had than all that cancelled it: no more than it had. */
  #lead = 0;

  see(batch: readonly Access[]): void {
    for (const { client, url } of batch) {
      this.#accesses++;
      if (!url.startsWith('/')) this.#absolute++;
      const address = client.split(' ', 1)[0] as string;
      if (address === this.#address) this.#lead++;
      else if (this.#lead > 0) this.#lead--;
      else {
        this.#address = address;
        this.#lead = 1;
      }
    }
  }

  warnings({ hosts, lines }: LogStatistics): string[] {
    if (this.#accesses < fewestAccesses) return [];
    const found: string[] = [];
    if (this.#lead >= nearlyAll * this.#accesses) {
      found.push(
        `nearly all accesses are of one client, ${this.#address}: a proxy's address, if visitors come through one. Log X-Forwarded-For, or name the field of the client with --fields`,
      );
    }
    const many = [...hosts.values()].filter((count) => count >= manyLines * lines).length > 1;
    const named = hostsInWords(hosts);
    if (this.#absolute >= nearlyAll * this.#accesses) {
      found.push(`nearly all URLs are absolute, of ${named}; --host NAME takes one, with paths`);
    } else if (many) {
      found.push(`lines of ${named} are taken for one site; --host NAME takes one`);
    }
    return found;
  }
}

/** The sites with most lines: `a.example (120 lines), b.example (3 lines) and 5 more`. */
export function hostsInWords(hosts: ReadonlyMap<string, number>): string {
  const sorted = [...hosts].sort((a, b) => b[1] - a[1]);
  const shown = sorted
    .slice(0, 3)
    .map(([host, count]) => `${host} (${count.toLocaleString('en')} lines)`);
  const more = sorted.length - shown.length;
  return `${shown.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}
