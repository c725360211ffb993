// Where visitors go: drawn before anything runs, so every variant has the same visitors.

import { randomOf } from '../../prefetchd/random.ts';
import type { SitePage, VisitorsSite } from './site.ts';

export interface Step {
  /** The links that the mouse rests on before. */
  strays: string[];
  click: string;
}

export interface Walk {
  entry: string;
  steps: Step[];
}

const straysPerPage = 2;

export function walksOf(
  site: VisitorsSite,
  settings: { visitors: number; clicks: number; seed: number },
): Walk[] {
  const { visitors, clicks, seed } = settings;
  const random = randomOf(seed + 1);
  return Array.from({ length: visitors }, () => {
    const entry = byZipf(site.byPopularity, random);
    const steps: Step[] = [];
    for (let path = entry; steps.length < clicks; ) {
      const { links } = site.pages.get(path) as SitePage;
      const click = byZipf(links, random);
      const others = links.filter((link) => link !== click);
      const strays = Array.from({ length: straysPerPage }, () => {
        const at = Math.floor(random() * others.length);
        return others.splice(at, 1)[0] as string;
      });
      steps.push({ strays, click });
      path = click;
    }
    return { entry, steps };
  });
}

/** The item at rank r with a probability proportional to 1 / r. */
function byZipf<T>(items: readonly T[], random: () => number): T {
  const weights = items.map((_, at) => 1 / (at + 1));
  let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
  const at = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return items[at === -1 ? 0 : at] as T;
}
