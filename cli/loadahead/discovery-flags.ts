// The flags that say which resources of a page are fetched, and for which screen.

import { type Command, Option } from 'commander';
import type { DiscoveryOptions } from '../../loader/options.ts';
import { decimal, repeated, size } from '../flag-values.ts';

export interface DiscoveryFlags {
  viewport?: { width: number; height: number };
  dpr?: number;
  mobile?: boolean;
  scripting: boolean;
  lazyImages: DiscoveryOptions['lazyImages'];
  styleResources: DiscoveryOptions['styleResources'];
  icons?: boolean;
  media?: boolean;
  frames?: boolean;
  origins: DiscoveryOptions['origins'];
  include?: string[];
  exclude?: string[];
  explain?: boolean;
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
    .option('--no-scripting', 'no scripts; noscript is shown')
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

export function discoveryOptions(flags: DiscoveryFlags): Partial<DiscoveryOptions> {
  const { viewport, dpr, include, exclude } = flags;
  const { scripting, lazyImages, styleResources, origins } = flags;
  return {
    scripting,
    lazyImages,
    styleResources,
    origins,
    ...(viewport && { viewportWidth: viewport.width, viewportHeight: viewport.height }),
    ...(dpr !== undefined && { dpr }),
    ...(include && { include }),
    ...(exclude && { exclude }),
    mobile: flags.mobile === true,
    icons: flags.icons === true,
    media: flags.media === true,
    frames: flags.frames === true,
    explain: flags.explain === true,
  };
}
