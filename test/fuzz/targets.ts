// All that can be fuzzed; one file for each side of the product.

import { framesTarget } from './frames-target.ts';
import type { FuzzTarget } from './fuzz.ts';
import { loadsTarget } from './loads-target.ts';
import { proxyTarget } from './proxy-target.ts';
import { responsesTarget } from './responses-target.ts';
import { markupTarget, stylesTarget } from './scanner-targets.ts';
import { upstreamTarget } from './upstream-target.ts';

export const targets: readonly FuzzTarget<never>[] = [
  framesTarget as FuzzTarget<never>,
  loadsTarget as FuzzTarget<never>,
  markupTarget as FuzzTarget<never>,
  proxyTarget as FuzzTarget<never>,
  responsesTarget as FuzzTarget<never>,
  stylesTarget as FuzzTarget<never>,
  upstreamTarget as FuzzTarget<never>,
];
