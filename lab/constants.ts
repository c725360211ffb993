// What nobody sets but measurements: constants of the product, and the options, not public ones, that change them.

export { withConstants } from '../options/options.ts';
export { prefetchdDefaults } from '../prefetchd/engine/prefetchd-options.ts';
