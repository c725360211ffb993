// Renders a chart as SVG with Vega, in light and dark colours, without browser or canvas. The library is large and
// optional, and is loaded only when needed.

import type { TopLevelSpec } from 'vega-lite';
import { PrefetchdError } from '../../errors.ts';
import { darkStyle } from './chart-colors.ts';

/** @throws PrefetchdError `invalid-option` if vega and vega-lite are not installed */
export async function toSvg(spec: TopLevelSpec): Promise<string> {
  const { vega, vegaLite } = await libraries();
  const runtime = vega.parse(vegaLite.compile(spec).spec);
  const view = new vega.View(runtime, { renderer: 'none', logLevel: vega.Error });
  try {
    const svg = await view.toSVG();
    return `${svg.replace('>', () => `>${darkStyle(svg)}`)}\n`;
  } finally {
    view.finalize();
  }
}

async function libraries() {
  try {
    const [vega, vegaLite] = await Promise.all([import('vega'), import('vega-lite')]);
    return { vega, vegaLite };
  } catch (cause) {
    throw new PrefetchdError(
      'invalid-option',
      'charts need the packages vega and vega-lite: npm install vega vega-lite',
      { cause },
    );
  }
}
