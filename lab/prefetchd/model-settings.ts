// Settings for measuring predictors, used by the worker and shown on the page.

import type { SiteSettings } from './site.ts';

/** 100,000 URLs, 10,000 clients. */
export const modelSite: SiteSettings = {
  pages: 40_000,
  images: 60_000,
  visitors: 10_000,
  returning: true,
};

/** Accesses: not timed, timed as a whole, timed one by one. */
export const modelCounts = { warmUp: 500_000, learned: 1_000_000, timed: 500_000 };

export const modelWindow = 4;
export const modelPredict = { threshold: 0.5, limit: 3 };

/** Drowning: everybody asks for ten URLs that nobody else asks for; a few readers follow real links. */
export const drowning = {
  urls: 1_000_000,
  clients: 100_000,
  /** Of these, so many are there at a time. */
  clientsAtATime: 1_000,
  plantedArcs: 20,
  readers: 10_000,
};

/** A graph that is kept: 100,000 URLs, a million arcs. */
export const keptGraph = { urls: 100_000, arcsPerUrl: 10, urlsAtOnce: 1_000 };

/** Two services that learn one graph in Redis. */
export const flushing = { accessesPerS: [100, 5_000], seconds: 20, services: 2 };
