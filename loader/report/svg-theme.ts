// The colours of the SVG waterfall in light and dark mode. They are based on the Okabe-Ito palette, distinguishable
// with any colour vision, and adjusted to a contrast of at least 3:1 with the background (WCAG 2.2, 1.4.11; text 4.5:1,
// 1.4.3). Phases also differ in height and lightness: more network activity gives a taller, stronger bar.
//
// The rules are written twice instead of using custom properties, because several SVG renderers other than browsers
// support classes but not `var()`.

/** Colours as `#rrggbb`. */
export interface Palette {
  background: string;
  stripe: string;
  hover: string;
  text: string;
  muted: string;
  grid: string;
  error: string;
  queued: string;
  connect: string;
  waiting: string;
  receiving: string;
  cache: string;
  milestones: readonly [string, string, string, string, string];
  lanes: readonly string[];
}

/** Number of lane colours, which connections use in turn. */
export const laneCount = 6;

export const light: Palette = {
  background: '#ffffff',
  stripe: '#f5f7f9',
  hover: '#e3ecf7',
  text: '#1b1f24',
  muted: '#57606a',
  grid: '#dfe3e8',
  error: '#b3261e',
  queued: '#7d868f',
  connect: '#d55e00',
  waiting: '#3b8fc6',
  receiving: '#00508a',
  cache: '#00875f',
  milestones: ['#7a5200', '#00508a', '#8f3f71', '#1f6b3a', '#1b1f24'],
  lanes: ['#5b6770', '#00875f', '#b0538a', '#a06400', '#7a5cc0', '#3f7fbf'],
};

export const dark: Palette = {
  background: '#0d1117',
  stripe: '#141a22',
  hover: '#1f2b3a',
  text: '#e6edf3',
  muted: '#9aa4af',
  grid: '#2a323c',
  error: '#ff8a80',
  queued: '#6e7883',
  connect: '#f0883e',
  waiting: '#2f76a8',
  receiving: '#8fd0ff',
  cache: '#3fc79a',
  milestones: ['#e6b450', '#8fd0ff', '#e59ac4', '#8fd6a3', '#e6edf3'],
  lanes: ['#8b98a5', '#3fc79a', '#e08bbb', '#e0a030', '#ae97f0', '#6cb0f0'],
};

const fixed = `
.la text{font:11px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.la .h1{font-size:15px;font-weight:600}
.la .num{font-variant-numeric:tabular-nums}
.la .small,.la text.small{font-size:10px}
.la .end{text-anchor:end}.la .mid{text-anchor:middle}
.la .mark{stroke-width:1.25;fill:none}
.la .m1{stroke-dasharray:6 3}.la .m2{stroke-dasharray:2 3}.la .m3{stroke-dasharray:5 2 1 2}.la .m4{stroke-dasharray:9 3 2 3}
.la .hit{fill:transparent}`;

function rules(colors: Palette): string {
  const fill = (selector: string, color: string) => `.la ${selector}{fill:${color}}`;
  return [
    fill('.bg,.la .plate', colors.background),
    fill('.stripe', colors.stripe),
    fill('.row:hover .hit', colors.hover),
    fill('text', colors.text),
    fill('text.muted', colors.muted),
    fill('text.bad,.la .bad', colors.error),
    `.la .grid{stroke:${colors.grid}}`,
    `.la .cross{stroke:${colors.error};stroke-width:2;fill:none}`,
    `.la .batch{stroke:${colors.muted}}`,
    fill('.queued', colors.queued),
    fill('.connect', colors.connect),
    `.la .lost{fill:none;stroke:${colors.waiting};stroke-dasharray:2 2}`,
    fill('.waiting', colors.waiting),
    fill('.receiving', colors.receiving),
    fill('.cache', colors.cache),
    ...colors.milestones.map(
      (color, i) => `.la .m${i}{stroke:${color}}.la text.t${i}{fill:${color}}`,
    ),
    ...colors.lanes.map((color, i) => fill(`.l${i}`, color)),
  ].join('\n');
}

export const waterfallCss = `${fixed}
${rules(light)}
@media (prefers-color-scheme:dark){
${rules(dark)}
}
`;
