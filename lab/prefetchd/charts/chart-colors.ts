// Colours of the curves in charts, and of everything in dark mode. Each has a contrast of at least 3:1 to its
// background (WCAG 2.2, 1.4.11). Vega writes colours into attributes, which style rules override, so the dark version
// is one rule per colour, selected by attribute.

type Rgb = readonly [red: number, green: number, blue: number];

const few = ['#1b9e77', '#d95f02', '#7570b3', '#e7298a', '#3b6fd0', '#5e8c00'];
const leastContrast = 3.2;
const darkBackground = '#0d1117';
/** Colours of everything except curves, and their dark versions. */
const plain: Readonly<Record<string, string>> = {
  '#ffffff': darkBackground,
  white: darkBackground,
  '#000': '#e6edf3',
  '#555': '#9aa4af',
  '#888': '#6e7883',
  '#ddd': '#2a323c',
};

/** Colours for `count` curves, as `#rrggbb`: distinct ones or, for many curves, a range from violet to orange. */
export function curveColors(count: number): string[] {
  if (count <= few.length) return few.slice(0, count);
  return Array.from({ length: count }, (_, at) => {
    const part = at / (count - 1);
    const color = fromHsl(275 - 245 * part, 0.75, 0.28 + 0.22 * part);
    return toContrast(color, [255, 255, 255], [0, 0, 0]);
  });
}

/** A `<style>` that shows a drawing in dark colours if the reader prefers them. */
export function darkStyle(svg: string): string {
  const found = new Set(
    [...svg.matchAll(/ ((?:fill|stroke)="(?:#[\da-f]{3}|#[\da-f]{6}|white)")/g)].map(
      ([, attribute]) => attribute as string,
    ),
  );
  const rules = [...found].map((attribute) => {
    const [where = '', color = ''] = attribute.replaceAll('"', '').split('=');
    return `[${attribute}]{${where}:${inTheDark(color)}}`;
  });
  return `<style>@media (prefers-color-scheme:dark){${rules.join('')}}</style>`;
}

function inTheDark(color: string): string {
  return plain[color] ?? toContrast(rgbOf(color), rgbOf(darkBackground), [255, 255, 255]);
}

/** Mixes as much of `towards` into a colour as the contrast requires. */
function toContrast(color: Rgb, background: Rgb, towards: Rgb): string {
  let mixed = color;
  for (let part = 0.05; contrast(mixed, background) < leastContrast; part += 0.05) {
    mixed = [0, 1, 2].map((at) => {
      const [from, to] = [color[at] as number, towards[at] as number];
      return Math.round(from + (to - from) * part);
    }) as unknown as Rgb;
  }
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function rgbOf(color: string): Rgb {
  const digits = color.length === 4 ? color.replace(/[\da-f]/g, '$&$&') : color;
  const part = (at: number): number => Number.parseInt(digits.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
}

/** @param hue degrees */
function fromHsl(hue: number, saturation: number, lightness: number): Rgb {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const part = (shift: number): number => {
    const turn = (shift + hue / 30) % 12;
    return Math.round(255 * (lightness - reach * Math.max(-1, Math.min(turn - 3, 9 - turn, 1))));
  };
  return [part(0), part(8), part(4)];
}

function contrast(one: Rgb, other: Rgb): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** WCAG 2.2, relative luminance. */
function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
