// All that can be fuzzed; one file each.

import { framesTarget } from './frames-target.ts';
import type { FuzzTarget } from './fuzz.ts';
import { loadsTarget } from './loads-target.ts';
import { markupTarget } from './markup-target.ts';
import { proxyTarget } from './proxy-target.ts';
import { responsesTarget } from './responses-target.ts';
import { stylesTarget } from './styles-target.ts';
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
