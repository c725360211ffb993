// How wide a phone lays out a page, which decides its media queries and image sizes: as <meta name=viewport> says, else
// as wide as pages for desktops were when phones began to show them (CSS Viewport 1; Chromium 156).

import type { Screen } from '../style/environment.ts';

const usualWidth = 980;

/** @param screen The view itself, in its own CSS pixels */
export const usualLayout = (screen: Screen): Screen => layoutOf(screen, usualWidth);

/** @param content Of the meta element */
export function layoutFor(content: string, screen: Screen): Screen {
  const said = new Map<string, string>();
  for (const each of content.toLowerCase().split(/[,;]/)) {
    const [name = '', value = ''] = each.split('=', 2);
    said.set(name.trim(), value.trim());
  }
  const width = widthOf(said.get('width'), screen);
  const scale = Number.parseFloat(said.get('initial-scale') ?? '');
  const scaled = scale > 0 ? screen.width / clamped(scale, 0.1, 10) : null;
  if (width === null && scaled === null) return usualLayout(screen);
  return layoutOf(screen, Math.max(width ?? 0, scaled ?? 0));
}

function widthOf(value: string | undefined, screen: Screen): number | null {
  if (value === 'device-width') return screen.width;
  const width = Number.parseFloat(value ?? '');
  return width > 0 ? clamped(width, 1, 10_000) : null;
}

const clamped = (value: number, least: number, most: number): number =>
  Math.min(Math.max(value, least), most);

const layoutOf = (screen: Screen, layoutWidth: number): Screen => ({
  ...screen,
  width: layoutWidth,
  height: (screen.height * layoutWidth) / screen.width,
});
