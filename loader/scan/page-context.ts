// What the documents, style sheets and modules of one page share: its settings, policies, import maps, and the elements
// that it shows. Here a reference as written becomes a URL, or a reason why it is not fetched.

import { PageStyles } from './css/page-styles.ts';
import { SheetOrder } from './css/sheet-order.ts';
import { ContentSecurityPolicy, whyForbidden } from './html/content-security-policy.ts';
import {
  type Found,
  forFrame,
  type ModuleFetch,
  referenceTo,
  type ScanSettings,
} from './html/found.ts';
import type { PageTree } from './html/page-tree.ts';
import { ImportMap } from './modules/import-map.ts';
import { type Reference, resolveReference, type Skipped } from './reference.ts';
import type { Screen } from './style/environment.ts';

export interface ScanHandlers {
  onReference: (reference: Reference) => void;
  /** Called with each resource that is not fetched, and why; absent: the caller does not want to know. */
  onSkipped?: ((skipped: Skipped) => void) | undefined;
}

/** The place where a reference was found, and what its URL is resolved with. */
export interface ReferencePlace {
  /** URL of the document, style sheet or module in which the reference is. */
  initiator: string;
  /** The element or rule that has the reference, and its attribute or property: `img srcset`. */
  from: string;
  offset: number;
  /** The URL that relative references are resolved against. */
  base: URL;
  /** Name of the encoding in which the queries of URLs are encoded. */
  encoding: string;
}

/** Limit on the fonts for which the other URLs in their `src` are remembered, in case the first cannot be fetched. */
const mostOthers = 10_000;

export class ScanContext {
  readonly settings: ScanSettings;
  /** The import maps in the part of the page that has been read. */
  readonly importMap = new ImportMap();
  readonly contentSecurity: ContentSecurityPolicy;
  /** Returns the elements in the part of the page that has been read; null: no document is read. */
  tree: (() => PageTree) | null = null;
  readonly sheets = new SheetOrder();
  /** The screen in its own CSS pixels; on a phone, `settings.screen` is as wide as the page is laid out. */
  readonly #view: Screen;
  readonly #handlers: ScanHandlers;
  readonly #inner: ScanContext[] = [];
  /** Fetch options that the imports of a module script inherit, by the URL of the script. */
  readonly #modules = new Map<string, ModuleFetch>();
  /** By the URL of a font, the function that reports the font's next source, if that URL cannot be fetched. */
  readonly #others = new Map<string, () => void>();
  /** Finds what the page's style sheets, style elements and style attributes refer to. */
  readonly styles: PageStyles;

  /** @param url URL of the document. */
  constructor(
    url: URL,
    settings: ScanSettings,
    handlers: ScanHandlers,
    contentSecurity = new ContentSecurityPolicy(url),
  ) {
    this.#view = settings.screen;
    this.settings = settings.mobile
      ? { ...settings, screen: usualLayout(settings.screen) }
      : settings;
    this.contentSecurity = contentSecurity;
    this.#handlers = handlers;
    this.styles = new PageStyles(this);
  }

  /** Makes the context of a nested document whose text is inside this one; it has the same policies (HTML 7.4.5). */
  inner(url: URL): ScanContext {
    const settings = forFrame(this.settings);
    const inner = new ScanContext(url, settings, this.#handlers, this.contentSecurity.copy());
    this.#inner.push(inner);
    return inner;
  }

  /** Sets the size of a phone's screen as `<meta name=viewport>` says. @param content Content of the element. */
  layOut(content: string): void {
    if (!this.settings.mobile) return;
    this.settings.screen = layoutFor(content, this.#view);
  }

  /** Ends the page: no more of its text follows. */
  end(): void {
    this.styles.end();
    for (const each of this.#inner) each.end();
  }

  /** Returns the fetch options that the imports of a module inherit. @param url URL of the module before redirects. */
  moduleAt(url: string): ModuleFetch {
    return this.#modules.get(url) ?? {};
  }

  /** Reports the next source of a font that could not be fetched (CSS Fonts 4, 4.3). */
  failed(url: string): void {
    const tellNext = this.#others.get(url);
    this.#others.delete(url);
    tellNext?.();
  }

  report(found: Found, place: ReferencePlace): void {
    const [written, ...others] = found.others ?? [];
    const url = this.#reportFound(found, place);
    if (url !== null && written !== undefined && this.#others.size < mostOthers) {
      this.#others.set(url, () => this.report({ ...found, written, others }, place));
    }
  }

  /** Reports a reference as one to fetch or as skipped. @returns The URL; null if it is not fetched. */
  #reportFound(
    found: Found,
    { initiator, from, offset, base, encoding }: ReferencePlace,
  ): string | null {
    const { written, isSpecifier, kind } = found;
    const { onReference, onSkipped } = this.#handlers;
    if (found.skipped !== undefined && onSkipped === undefined) return null;
    const target = isSpecifier ? this.importMap.resolve(written, base) : written;
    const url = target === null ? null : resolveReference(target, base, encoding);
    const forbidden = url && this.contentSecurity.forbids(url, found);
    const skipped = found.skipped ?? (forbidden && whyForbidden(forbidden));
    if (!skipped && url !== null) {
      const reference = referenceTo(url, found, { initiator, from, offset });
      if (kind === 'stylesheet')
        this.sheets.mention(url, found.imported ?? this.sheets.next(!reference.isLate));
      if (found.isModule && (found.nonce || found.crossOrigin === 'use-credentials')) {
        if (!this.#modules.has(url)) this.#modules.set(url, found);
      }
      onReference(reference);
      return url;
    }
    const why = skipped || 'not an http URL';
    const { attribute } = found;
    const place = { initiator, from, ...(attribute !== undefined && { attribute }), offset };
    onSkipped?.({ url: url ?? written, kind, ...place, why });
    return null;
  }
}

/** Reads a resource of a page, and reports its references to the page. */
export interface ResourceReader {
  /** @param chunk The next bytes or text of the resource. */
  write(chunk: Uint8Array | string): void;
  end(): void;
}

/** A fetched resource of the page that may refer to others: a style sheet, a module, or the document of a frame. */
export interface ScannedResource {
  /** Absolute URL of the resource, after redirects. */
  url: string | URL;
  /** The URL by which the page names the resource, if the request was redirected. */
  namedUrl?: string;
  contentType?: string;
  /** Content-Security-Policy of a frame; several policies are separated by commas. */
  contentSecurityPolicy?: string;
}

const usualWidth = 980;

/** Returns the screen of a phone as laid out for a page that states no width: `usualWidth` CSS pixels wide. */
const usualLayout = (screen: Screen): Screen => layoutOf(screen, usualWidth);

/**
 * Returns the screen as a phone lays out a page on it, which decides media queries and image sizes: as wide as the
 * page's meta element says, or else 980 CSS pixels, as pages for desktops were when phones began to show them (CSS
 * Viewport 1; Chromium 156).
 * @param content Content of the <meta name=viewport>.
 */
function layoutFor(content: string, screen: Screen): Screen {
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
