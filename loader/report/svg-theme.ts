// The colours of the SVG waterfall in light and dark mode. They are based on the Okabe-Ito palette, distinguishable
// with any colour vision, and adjusted to a contrast of at least 3:1 with the background (WCAG 2.2, 1.4.11; text 4.5:1,
// 1.4.3). Phases also differ in height and lightness: more network activity gives a taller, stronger bar.
//
// A class sets the colour, and each element uses it by `currentColor`: several SVG renderers other than browsers support
// that, but not `var()`.

/** By class: colour in light and in dark mode. `m0` to `m4` are milestones, `l0` to `l5` connections. */
export const colors: Readonly<Record<string, readonly [light: string, dark: string]>> = {
  bg: ['#ffffff', '#0d1117'],
  plate: ['#ffffff', '#0d1117'],
  stripe: ['#f5f7f9', '#141a22'],
  hit: ['#e3ecf7', '#1f2b3a'],
  text: ['#1b1f24', '#e6edf3'],
  muted: ['#57606a', '#9aa4af'],
  bad: ['#b3261e', '#ff8a80'],
  grid: ['#dfe3e8', '#2a323c'],
  batch: ['#57606a', '#9aa4af'],
  queued: ['#7d868f', '#6e7883'],
  connect: ['#d55e00', '#f0883e'],
  lost: ['#3b8fc6', '#2f76a8'],
  waiting: ['#3b8fc6', '#2f76a8'],
  receiving: ['#00508a', '#8fd0ff'],
  cache: ['#00875f', '#3fc79a'],
  m0: ['#7a5200', '#e6b450'],
  m1: ['#00508a', '#8fd0ff'],
  m2: ['#8f3f71', '#e59ac4'],
  m3: ['#1f6b3a', '#8fd6a3'],
  m4: ['#1b1f24', '#e6edf3'],
  l0: ['#5b6770', '#8b98a5'],
  l1: ['#00875f', '#3fc79a'],
  l2: ['#b0538a', '#e08bbb'],
  l3: ['#a06400', '#e0a030'],
  l4: ['#7a5cc0', '#ae97f0'],
  l5: ['#3f7fbf', '#6cb0f0'],
};

/** Number of lane colours, which connections use in turn. */
export const laneCount = 6;

const colorsOf = (mode: 0 | 1) =>
  Object.entries(colors).map(([name, color]) => `.la.${name},.la .${name}{color:${color[mode]}}`);

/** Contains neither `<` nor `&`. */
export const waterfallCss = `
.la text{font:11px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;fill:currentColor}
.la rect{fill:currentColor}.la line,.la path{stroke:currentColor;fill:none}
.la text.h1{font-size:15px;font-weight:600}
.la text.num{font-variant-numeric:tabular-nums}
.la text.small{font-size:10px}
.la text.end{text-anchor:end}.la text.mid{text-anchor:middle}
.la path{stroke-width:2}.la rect.lost{fill:none;stroke:currentColor;stroke-dasharray:2 2}
.la line.mark{stroke-width:1.25}.la line.m1{stroke-dasharray:6 3}.la line.m2{stroke-dasharray:2 3}
.la line.m3{stroke-dasharray:5 2 1 2}.la line.m4{stroke-dasharray:9 3 2 3}
.la rect.hit{fill:transparent}.la .row:hover rect.hit{fill:currentColor}
${colorsOf(0).join('\n')}
@media (prefers-color-scheme:dark){
${colorsOf(1).join('\n')}
}
`;
