// The colours of a walk's timeline in light and dark mode, taken from the waterfall (svg-theme.ts): distinguishable
// with any colour vision. Bars also differ in height: a page, the prefetches below it, and the thin line of the stay.

import { dark, light, type Palette } from '../svg-theme.ts';

const fixed = `
.la text{font:11px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.la .h1{font-size:15px;font-weight:600}
.la .h2{font-size:12px;font-weight:600}
.la .num{font-variant-numeric:tabular-nums}
.la .small,.la text.small{font-size:10px}
.la .end{text-anchor:end}.la .mid{text-anchor:middle}`;

function rules(colors: Palette): string {
  const fill = (selector: string, color: string) => `.la ${selector}{fill:${color}}`;
  return [
    fill('.bg,.la .plate', colors.background),
    fill('.stripe', colors.stripe),
    fill('text', colors.text),
    fill('text.muted', colors.muted),
    fill('text.good', colors.cache),
    `.la .grid{stroke:${colors.grid}}`,
    `.la .cross{stroke:${colors.error};stroke-width:2;fill:none}`,
    fill('.stay', colors.queued),
    fill('.net', colors.receiving),
    fill('.hit', colors.cache),
    fill('.pre', colors.connect),
  ].join('\n');
}

export const walkCss = `${fixed}
${rules(light)}
@media (prefers-color-scheme:dark){
${rules(dark)}
}
`;
