// What the browser's own sheet says about fonts (HTML 15.3), under the sheets of the page.

export interface ComputedFont {
  /** In lower case. */
  readonly families: readonly string[];
  readonly weight: number;
  readonly style: 'normal' | 'italic';
}

const of = (types: string, font: Partial<ComputedFont>): Array<[string, Partial<ComputedFont>]> =>
  types.split(' ').map((type) => [type, font]);

/** By type of element. Families of the system stand for all that no page names. */
export const browserFonts: ReadonlyMap<string, Partial<ComputedFont>> = new Map([
  ...of('b strong th h1 h2 h3 h4 h5 h6', { weight: 700 }),
  ...of('em i cite dfn address var', { style: 'italic' }),
  ...of('code kbd samp pre tt listing xmp plaintext', { families: ['monospace'] }),
  // They do not inherit.
  ...of('button input select textarea', { families: [], weight: 400, style: 'normal' }),
]);
