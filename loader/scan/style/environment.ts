// The screen that a page is loaded for: what media queries, srcset and sizes depend on.

export interface Screen {
  /** Of the viewport, CSS pixels. */
  readonly width: number;
  readonly height: number;
  /** Device pixels per CSS pixel. */
  readonly dpr: number;
  /** It is touched: there is no pointer that hovers. */
  readonly isTouched?: boolean;
}

/** That of a notebook. */
export const defaultScreen: Screen = { width: 1280, height: 800, dpr: 1 };

/** What em and rem mean in media queries and sizes (Media Queries 4, 1.3), CSS pixels. */
export const initialFontPx = 16;
