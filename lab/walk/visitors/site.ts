// The site that visitors walk over: 30 pages with 8 to 15 links each, the same for the same seed. Links are in the
// order in which they are followed: the first most often, by Zipf's law.

import { randomOf } from '../../prefetchd/random.ts';

/** hub: a menu of all sections, and a list; chain: next and previous page; wiki: links anywhere. */
export type Pattern = 'hub' | 'chain' | 'wiki';

export const patterns: readonly Pattern[] = ['hub', 'chain', 'wiki'];

export interface SitePage {
  path: string;
  pattern: Pattern;
  /** Paths, the most followed first. */
  links: string[];
}

export interface VisitorsSite {
  pages: ReadonlyMap<string, SitePage>;
  /** Paths, the page where most visitors arrive first. */
  byPopularity: string[];
}

const sections = ['/', '/news', '/guides', '/topics', '/reviews', '/about-us'];
const chains = ['beginners', 'advanced'].map((name) =>
  Array.from({ length: 6 }, (_, at) => `/guides/${name}-${at + 1}`),
);
const topics = Array.from({ length: 12 }, (_, at) => `/topics/topic-${at + 1}`);

export function siteOf(seed: number): VisitorsSite {
  const random = randomOf(seed);
  const all = [...sections, ...chains.flat(), ...topics];
  const byPopularity = ['/', ...shuffled(all.slice(1), random)];
  const rank = new Map(byPopularity.map((path, at) => [path, at]));
  const popular = (left: string, right: string) => (rank.get(left) ?? 0) - (rank.get(right) ?? 0);
  const some = (paths: readonly string[], least: number, most: number) =>
    shuffled(paths, random).slice(0, least + Math.floor(random() * (most - least + 1)));
  const others = (paths: readonly string[], ...not: string[]) =>
    paths.filter((path) => !not.includes(path));

  const hubs = sections.map((path): SitePage => {
    const list = some([...chains.flat(), ...topics], 5, 10);
    return { path, pattern: 'hub', links: [...others(sections, path), ...list].sort(popular) };
  });
  const chained = chains.flatMap((chain) =>
    chain.map((path, at): SitePage => {
      const near = [chain[at + 1], chain[at - 1]].filter((each) => each !== undefined);
      const rest = some(others([...sections, ...chain], path, ...near), 7, 9);
      return { path, pattern: 'chain', links: [...near, ...rest] };
    }),
  );
  const linked = topics.map((path): SitePage => {
    const links = [
      ...some(others(topics, path), 6, 10),
      ...some([...sections, ...chains.flat()], 2, 5),
    ];
    return { path, pattern: 'wiki', links: shuffled(links, random) };
  });
  const pages = new Map([...hubs, ...chained, ...linked].map((page) => [page.path, page]));
  return { pages, byPopularity };
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const left = [...items];
  return items.map(() => left.splice(Math.floor(random() * left.length), 1)[0] as T);
}
