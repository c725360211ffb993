// The flags that say which resources of a page are fetched, and for which screen.

import { type Command, Option } from 'commander';
import type { DiscoveryOptions } from '../../loader/discovery-options.ts';
import { decimal, repeated, size } from '../flag-values.ts';

export interface DiscoveryFlags extends Omit<DiscoveryOptions, 'viewportWidth' | 'viewportHeight'> {
  viewport?: { width: number; height: number };
}

export function addDiscoveryFlags(command: Command): Command {
  return command
    .option('--viewport <size>', 'size of the view in CSS pixels (1280x800)', size)
    .option('--dpr <n>', 'device pixels per CSS pixel (1)', decimal)
    .option('--mobile', 'the view is that of a phone, which heeds <meta name=viewport>')
    .addOption(
      new Option('--lazy-images <which>', 'which images with loading=lazy')
        .choices(['near', 'all', 'none'])
        .default('near'),
    )
    .addOption(
      new Option('--style-resources <which>', 'which images and fonts that styles name')
        .choices(['sure', 'all', 'none'])
        .default('sure'),
    )
    .option('--icons', 'also icons and the manifest')
    .option('--media', 'also audio, video and subtitles')
    .option('--frames', 'also the documents of frames, with what they name')
    .addOption(
      new Option('--origins <which>', 'resources of which origins')
        .choices(['all', 'same-site', 'same-origin'])
        .default('all'),
    )
    .option(
      '--include <part>',
      'only URLs with this part (* for any characters); repeatable',
      repeated,
    )
    .option('--exclude <part>', 'no URL with this part; repeatable', repeated);
}

export function discoveryOptions(flags: DiscoveryFlags): DiscoveryOptions {
  const { viewport, dpr, mobile, lazyImages, styleResources, icons, media, frames } = flags;
  const { origins, include, exclude, explain } = flags;
  return {
    ...{ viewportWidth: viewport?.width, viewportHeight: viewport?.height, dpr, mobile },
    ...{ lazyImages, styleResources, icons, media, frames, origins, include, exclude, explain },
  };
}
