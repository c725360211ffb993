// A rule of a page's style with the declarations that matter: those that refer to something, and those that decide which
// boxes and fonts there are.

import type { PageElement } from '../html/page-tree.ts';
import type { CssFound } from './found.ts';
import type { PageSelector } from './selectors.ts';
import type { ValueUrls } from './values.ts';

/** Receives what a browser fetches, or why it does not. */
export type TellStyle = (item: CssFound) => void;

export interface StyleRule {
  /** Its selectors, with those of the rules around. */
  readonly text: string;
  /** Whose style attribute or presentation attribute it is; null: it is in a sheet. */
  readonly element: PageElement | null;
  /** It is a presentation attribute. */
  readonly isPresentation: boolean;
  /** Those around, `outer.inner.`; '': none. */
  readonly layer: string;
  /** Place of its sheet among those of the page; 0: the browser's own. */
  readonly sheet: number;
  /** Why nobody can be sure that it applies; null: it does where its selectors match. */
  readonly maybe: string | null;
  readonly tell: TellStyle;
  readonly declarations: Declaration[];
  /** Read when the page is first asked. */
  selectors: readonly PageSelector[] | null;
}

export interface Declaration {
  readonly rule: StyleRule;
  /** That it sets: of a shorthand, the one that matters. */
  readonly property: string;
  /** As it is written. */
  readonly from: string;
  readonly value: string;
  readonly isImportant: boolean;
  /** In its sheet. */
  readonly offset: number;
  readonly refers: ValueUrls;
  /** Its URLs that no element has been seen to use. */
  readonly unused: Set<string>;
  /** Why the last element that it matched does not use them. */
  whyNot: string | null;
}

/** All URLs of a value, those of fallbacks included. */
export const allUrls = ({ urls, uses }: ValueUrls): string[] => [
  ...urls,
  ...uses.flatMap(({ fallback }) => allUrls(fallback)),
];

export const foundIn = ({ from, offset }: Declaration, written: string): CssFound => ({
  kind: 'image',
  ...{ written, from, offset },
});
