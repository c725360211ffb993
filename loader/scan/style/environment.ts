// The screen that a page is loaded for: what media queries, srcset and sizes depend on.

export interface Screen {
  /** Width of the viewport, CSS pixels; `height` is its height. */
  readonly width: number;
  readonly height: number;
  /** Device pixels per CSS pixel. */
  readonly dpr: number;
  /** true for a touch screen, whose pointer is coarse and cannot hover. */
  readonly isTouched?: boolean;
}

/** The screen of a notebook. */
export const defaultScreen: Screen = { width: 1280, height: 800, dpr: 1 };
