// What the documents, style sheets and modules of one page share: its settings, policies, import maps, and what it has
// shown. Here a reference as written becomes a URL, or a reason why nobody fetches it.

import { PageStyles } from './css/page-styles.ts';
import { SheetOrder } from './css/sheet-order.ts';
import { ContentSecurityPolicy, whyForbidden } from './html/content-security-policy.ts';
import { type Found, type ModuleFetch, referenceTo, type ScanSettings } from './html/found.ts';
import { PageTree } from './html/page-tree.ts';
import { ImportMap } from './modules/import-map.ts';
import { type Reference, resolveReference, type Skipped } from './reference.ts';
import type { Screen } from './style/environment.ts';

export interface ScanHandlers {
  onReference: (reference: Reference) => void;
  /** Absent: nobody asks why something is not fetched. */
  onSkipped?: ((skipped: Skipped) => void) | undefined;
}

/** Where a reference was found. */
export interface Place {
  /** URL of the document, style sheet or module. */
  initiator: string;
  /** `img srcset` */
  from: string;
  offset: number;
  /** The URL that relative references are resolved against. */
  base: URL;
  /** For queries of URLs. */
  encoding: string;
}

/** Fonts with other sources. */
const mostOthers = 10_000;

export class PageContext {
  readonly settings: ScanSettings;
  /** As far as the page was read: what the specifiers of its modules mean. */
  readonly importMap = new ImportMap();
  readonly contentSecurity: ContentSecurityPolicy;
  /** Of the document as far as it was read; null: style does not matter. */
  tree: PageTree | null;
  readonly sheets = new SheetOrder();
  /** Before any layout. */
  readonly #view: Screen;
  readonly #handlers: ScanHandlers;
  readonly #inner: PageContext[] = [];
  /** How module scripts are fetched, where imports are to know it. By URL. */
  readonly #modules = new Map<string, ModuleFetch>();
  /** Of fonts with other sources: tells the next one. By URL. */
  readonly #others = new Map<string, () => void>();
  #styles: PageStyles | null = null;

  /** @param url of the document */
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
    this.tree = settings.styleResources === 'none' ? null : new PageTree();
    this.#handlers = handlers;
  }

  /** Of a document inside that has its text from this one: the same policies (HTML 7.4.5). */
  inner(url: URL): PageContext {
    const settings = { ...this.settings, mobile: false, icons: false };
    const inner = new PageContext(url, settings, this.#handlers, this.contentSecurity.copy());
    this.#inner.push(inner);
    return inner;
  }

  /** @param content Of a `<meta name=viewport>` */
  layOut(content: string): void {
    if (!this.settings.mobile) return;
    this.settings.screen = layoutFor(content, this.#view);
  }

  /** Of a page whose style matters. Made when it is first needed: many pages have none. */
  get styles(): PageStyles {
    this.#styles ??= new PageStyles(
      () => this.tree ?? new PageTree(),
      () => this.settings.screen,
      this.settings.styleResources === 'all',
    );
    return this.#styles;
  }

  /** A sheet has ended. */
  update(): void {
    this.#styles?.update();
  }

  /** The document has ended. */
  updateAtEnd(): void {
    this.#styles?.updateAtEnd();
  }

  /** Nothing of the page follows. */
  end(): void {
    this.#styles?.end();
    for (const each of this.#inner) each.end();
  }

  /** @param url As it was named */
  moduleAt(url: string): ModuleFetch {
    return this.#modules.get(url) ?? {};
  }

  /** A font could not be fetched: the next source is told (CSS Fonts 4, 4.3). */
  failed(url: string): void {
    const tellNext = this.#others.get(url);
    this.#others.delete(url);
    tellNext?.();
  }

  tell(found: Found, place: Place): void {
    const [written, ...others] = found.others ?? [];
    const url = this.#tell(found, place);
    if (url !== null && written !== undefined && this.#others.size < mostOthers) {
      this.#others.set(url, () => this.tell({ ...found, written, others }, place));
    }
  }

  /** @returns null: it is not fetched */
  #tell(found: Found, { initiator, from, offset, base, encoding }: Place): string | null {
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
        this.sheets.mention(url, found.imported ?? null, !reference.isLate);
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

/** Reads a resource of a page; what it refers to is told to the page. */
export interface Reader {
  /** @param chunk The next bytes, or text */
  write(chunk: Uint8Array | string): void;
  end(): void;
}

/** A resource that the page's references led to. */
export interface ScannedResource {
  /** Absolute, after redirects. */
  url: string | URL;
  /** As it was named, if it was redirected. */
  namedUrl?: string;
  contentType?: string;
  /** Of a frame: its Content-Security-Policy; several are separated by commas. */
  contentSecurityPolicy?: string;
}

const usualWidth = 980;

/** @param screen The view itself, in its own CSS pixels */
const usualLayout = (screen: Screen): Screen => layoutOf(screen, usualWidth);

/**
 * How wide a phone lays out a page, which decides its media queries and image sizes: as <meta name=viewport> says,
 * else as wide as pages for desktops were when phones began to show them (CSS Viewport 1; Chromium 156).
 * @param content Of the meta element
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
