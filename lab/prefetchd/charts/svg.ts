// Renders a chart as SVG with Vega, in light and dark colours, without browser or canvas.

import * as vega from 'vega';
import type { TopLevelSpec } from 'vega-lite';
import * as vegaLite from 'vega-lite';
import { darkStyle } from './chart-colors.ts';

export async function toSvg(spec: TopLevelSpec): Promise<string> {
  const runtime = vega.parse(vegaLite.compile(spec).spec);
  const view = new vega.View(runtime, { renderer: 'none', logLevel: vega.Error });
  try {
    const svg = await view.toSVG();
    return `${svg.replace('>', () => `>${darkStyle(svg)}`)}\n`;
  } finally {
    view.finalize();
  }
}
