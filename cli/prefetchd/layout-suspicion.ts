// Signs that a log was misread although each line fits the format: one client has nearly all accesses, or nearly all
// URLs contain the name of a site. Memory is bounded: one client is remembered (Boyer and Moore, "MJRTY", 1981).

import type { Access } from '../../prefetchd/access.ts';
import type { LogStatistics } from '../../prefetchd/log/index.ts';

const fewestAccesses = 100;
const nearlyAll = 0.8;
/** A second site with at least this share of the lines is more than noise of scanners. */
const manyLines = 0.05;

export class LayoutSuspicion {
  #accesses = 0;
  #absolute = 0;
  #address = '';
  /** Accesses of the address less those of others that cancelled them: a lower bound of its accesses. */
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

  warnings(): string[] {
    if (this.#accesses < fewestAccesses) return [];
    const isNearlyAll = (count: number) => count >= nearlyAll * this.#accesses;
    return [
      ...(isNearlyAll(this.#lead)
        ? [
            `nearly all accesses are of one client, ${this.#address}: a proxy's address, if visitors come through one. Log X-Forwarded-For, or name the field of the client with --fields`,
          ]
        : []),
      ...(isNearlyAll(this.#absolute)
        ? ['nearly all URLs are absolute; --host NAME takes one site, with paths']
        : []),
    ];
  }
}

/** The sites of a log with several, with their lines: `a.example (120 lines), b.example (90 lines)`; null: only one. */
export function sitesIn({ hosts, lines }: LogStatistics): string | null {
  const sites = new Map<string, number>();
  for (const [host, count] of hosts) {
    const name = host.replace(/^www\./, '');
    sites.set(name, (sites.get(name) ?? 0) + count);
  }
  const many = [...sites].filter(([, count]) => count >= manyLines * lines);
  if (many.length < 2) return null;
  const shown = many
    .sort((a, b) => b[1] - a[1])
    .slice(0, 5)
    .map(([host, count]) => `${host} (${count.toLocaleString('en')} lines)`);
  return shown.join(', ');
}
