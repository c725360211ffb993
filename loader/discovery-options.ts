// The options of discovery: which of the resources that a page names are fetched, and for which screen.

import { listOf, text } from '../options/kinds.ts';
import { type Kind, type OptionsOf, objectOf, option, type ValuesOf } from '../options/options.ts';
import { type ScannerOptions, screenOf, screenTable } from './scan/scanner-options.ts';

const pattern = text({
  rule: 'a URL or a part of one, with * for any characters',
  pattern: /^[^\s]{1,1024}$/,
});

const ownTable = {
  /**
   * Fetch no URL that matches one of these: parts of URLs, in which `*` stands for any characters. `cross-origin`
   * stands for all URLs of other origins than the page's, `cross-site` for all URLs of other sites, `all-images` for
   * all images.
   */
  exclude: option(listOf(pattern, 'a list of URLs with * for any characters', 100), [], {
    flag: '--exclude <part>',
    help: 'no URL with this part (* for any characters), or cross-origin, cross-site or all-images; repeatable',
    isRepeated: true,
  }),
};

export const discoveryTable = { ...screenTable, ...ownTable };

export type DiscoverySettings = ValuesOf<typeof discoveryTable>;
export type DiscoveryOptions = OptionsOf<typeof screenTable> & OptionsOf<typeof ownTable>;
export const discoveryKind: Kind<DiscoverySettings, DiscoveryOptions> = objectOf(discoveryTable);

export function scannerOptions(options: DiscoverySettings): Omit<ScannerOptions, 'url'> {
  const { dpr, isTouched: mobile = false, ...viewport } = screenOf(options.viewport);
  return { viewport, dpr, mobile, also: options.also };
}
