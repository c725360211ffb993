// A rule of a page's style with the declarations that matter: those with URLs or var(), and those that decide which
// boxes and fonts there are.

import type { Found } from '../html/found.ts';
import type { PageElement } from '../html/page-tree.ts';
import type { PageSelector } from './selectors.ts';

/** A reference, and where its rule or declaration begins, in characters from the start of the sheet. */
export type StyleFound = Found & { readonly offset: number };

/** Function that receives each reference that is found in a style, with the reason if a browser does not fetch it. */
export type TellStyle = (found: StyleFound) => void;

export interface StyleRule {
  /** The selectors of the rule, with those of its parent rules inserted. */
  readonly text: string;
  /** The element whose style or presentation attribute the rule is; null: the rule is in a sheet. */
  readonly element: PageElement | null;
  /** Names of the rule's cascade layers, the outermost first, and their numbers (`Cascade.layerOf`). */
  readonly path: readonly string[];
  readonly layer: readonly number[];
  /** Place of the rule's sheet in the order of the page's sheets (sheet-order.ts). */
  readonly sheet: number;
  readonly tell: TellStyle;
  /** Why the URLs of the rule are reported as skipped; null: a browser may fetch them. */
  readonly skipped: string | null;
  readonly declarations: Declaration[];
  /** The parsed selectors; null until the rule is first applied. */
  selectors: readonly PageSelector[] | null;
}

export interface Declaration {
  readonly rule: StyleRule;
  /** The longhand that the declaration sets, and the property as written, which may be a shorthand. */
  readonly property: string;
  readonly from: string;
  readonly value: string;
  readonly isImportant: boolean;
  /** Where the declaration begins, in characters from the start of the sheet. */
  readonly offset: number;
  readonly urls: readonly string[];
  /** URLs that an element has been found to use so far; of a custom property, all if an element uses it. */
  readonly told: Set<string>;
  /** Whether a selector of the rule matches an element, which may yet use no URL. */
  isMatched: boolean;
}

/** Reports a URL in a declaration. @param how The reason why a browser fetches it (`why`), or does not (`skipped`) */
export function tellUrl(
  { rule, from, offset }: Pick<Declaration, 'rule' | 'from' | 'offset'>,
  written: string,
  how: Pick<StyleFound, 'why' | 'skipped'>,
): void {
  rule.tell({ kind: 'image', written, named: from, offset, priority: 'low', ...how });
}

/** The properties whose URLs Chromium fetches, and those that decide which boxes and fonts there are. */
const longhands = new Set(
  (
    'background-image border-image-source content cursor list-style-image mask-image mask-box-image-source box-reflect ' +
    // The URLs of the following properties, except shape-outside, refer to an element of an SVG document.
    'shape-outside filter backdrop-filter clip-path fill stroke marker-start marker-mid marker-end ' +
    'display content-visibility font-family font-weight font-style'
  ).split(' '),
);
/** Of a shorthand these longhands count, so that the last declaration of either overrides the others. */
const shorthands = new Map(
  Object.entries({
    background: 'background-image',
    'border-image': 'border-image-source',
    'list-style': 'list-style-image',
    marker: 'marker-start',
    mask: 'mask-image',
    'mask-box-image': 'mask-box-image-source',
    font: 'font-family font-weight font-style',
  }),
);

/** Returns the longhands that a property sets, as far as they matter for URLs, boxes or fonts. */
export function longhandsOf(written: string): readonly string[] {
  if (written.startsWith('--')) return [written];
  const name = written.replace(/^-webkit-/, '');
  return shorthands.get(name)?.split(' ') ?? (longhands.has(name) ? [name] : []);
}

/** Matches declarations with such a property; with an escape or an at-rule in them, any may have one. */
export const mayMatter = new RegExp(
  `--|[\\\\@]|${[...longhands, ...shorthands.keys()].join('|')}`,
  'i',
);
