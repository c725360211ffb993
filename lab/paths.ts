// Paths used by the benches.

import { fileURLToPath } from 'node:url';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

export const repository = path('..');
export const microscape = path('../fixtures/microscape');
export const resultsFolder = path('./results');
export const chartsFolder = path('../docs/charts');
export const epaLog = path('../fixtures/logs/epa-http-1995.clf.gz');
export const combinedLog = path('../fixtures/logs/elastic-apache-2015.combined.log.gz');
/** The words of the page, with places for figures. */
export const benchmarksTemplate = path('./benchmarks.template.md');
export const benchmarksPage = path('../docs/benchmarks.md');
export const sourceCommand = path('../cli/loadahead.ts');
/** As published; `npm run build` makes them. */
export const builtCommand = path('../dist/cli/loadahead.js');
export const builtService = path('../dist/cli/prefetchd.js');
