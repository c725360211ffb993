// `loadahead/scan`: the scanner alone, for programs with their own network code.

import '../../needs-node.ts';
import type { ScanSettings } from './html/found.ts';
import { PageContext, type Reader, type ScannedResource } from './page-context.ts';
import { DocumentReader, ModuleReader, SheetReader } from './readers.ts';
import type { Priority, Reference, ReferenceKind, Skipped } from './reference.ts';
import { defaultScreen } from './style/environment.ts';

export interface ScannerOptions {
  /** URL of the document, base of relative references. */
  url: string | URL;
  /** The document's Content-Type; its charset parameter determines the encoding. */
  contentType?: string;
  /** The document's Content-Security-Policy; several are separated by commas. */
  contentSecurityPolicy?: string;
  /** Size of the viewport, CSS pixels. Default: 1280 x 800. */
  viewport?: { width: number; height: number };
  /** Device pixels per CSS pixel. Default: 1. */
  dpr?: number;
  /**
   * The viewport is a phone's: a page is laid out as its `<meta name=viewport>` says, without one 980 CSS pixels wide.
   * Default: false.
   */
  mobile?: boolean;
  /** Scripts run, so nobody sees what is in noscript. Default: true. */
  scripting?: boolean;
  /** Of images with loading=lazy: those that the first view probably shows, or all, or none. Default: near. */
  lazyImages?: 'near' | 'all' | 'none';
  /** Also the icon that a browser would show, and the manifest, which browsers fetch last. Default: false. */
  icons?: boolean;
  /** Also audio, video and subtitles. Default: false. */
  media?: boolean;
  /** Also the documents of frames, objects and embeds. Default: false. */
  frames?: boolean;
  /**
   * Of the images and fonts that style sheets name: those that an element of the page surely uses, or all, or none.
   * Default: sure.
   */
  styleResources?: 'sure' | 'all' | 'none';
  /** Called inside `write`, `end` and `finish` for what a browser would not fetch, and why. */
  onSkipped?: (skipped: Skipped) => void;
}

/** Reads one resource of a page. */
export interface ResourceScanner {
  /**
   * @param chunk The next bytes as received (content coding removed), or text.
   * @returns References that are now complete, in order, including duplicates: those of this resource, and of others
   *   what its elements turn out to use.
   */
  write(chunk: Uint8Array | string): Reference[];
  /** Nothing follows. @returns References that had waited for the end */
  end(): Reference[];
}

export interface Scanner extends ResourceScanner {
  /** Reads a style sheet of the page: imports, images and fonts. */
  styleSheet(sheet: ScannedResource): ResourceScanner;
  /** Reads a module script of the page: its static imports, resolved by the page's import maps, at its end. */
  module(script: ScannedResource): ResourceScanner;
  /** Reads the document of a frame, object or embed: a page of its own. */
  frame(document: ScannedResource): ResourceScanner;
  /** A font of the page could not be fetched. @returns What a browser fetches instead, the next source of its face */
  failed(url: string): Reference[];
  /** Begins the document again, for a response that is repeated. What sheets and modules said is kept. */
  restart(response?: Pick<ScannerOptions, 'contentType' | 'contentSecurityPolicy'>): void;
  /** All is read: calls `onSkipped` for images and fonts of style that no element is known to use. */
  finish(): void;
  /** WHATWG name of the encoding in use; null while undetermined. */
  readonly charset: string | null;
}

/**
 * Creates an incremental scanner of one HTML document and of what it leads to. It finds what a browser's preload
 * scanner finds, and what style sheets and modules name; the same in any chunking.
 * @throws TypeError if `url` is not a URL.
 */
export function createScanner(options: ScannerOptions): Scanner {
  let found: Reference[] = [];
  const take = () => {
    const taken = found;
    found = [];
    return taken;
  };
  /** Of style sheets and modules: the document that named each first. */
  const pageOf = new Map<string, PageContext>();
  const settings = settingsOf(options);
  const pages: PageContext[] = [];
  const openPage = (url: URL, its = settings) => {
    const page: PageContext = new PageContext(url, its, {
      onReference(reference) {
        const leadsOn = reference.kind === 'stylesheet' || reference.isModule === true;
        if (leadsOn && !pageOf.has(reference.url)) pageOf.set(reference.url, page);
        found.push(reference);
      },
      onSkipped: options.onSkipped,
    });
    pages.push(page);
    return page;
  };
  const url = new URL(options.url);
  const page = openPage(url);
  page.contentSecurity.add(options.contentSecurityPolicy ?? '');
  const { contentType = '' } = options;
  let document = new DocumentReader(url, contentType, page);
  const taking = (reader: Reader): ResourceScanner => ({
    write(chunk) {
      reader.write(chunk);
      return take();
    },
    end() {
      reader.end();
      return take();
    },
  });
  return {
    write: (chunk) => {
      document.write(chunk);
      return take();
    },
    end: () => {
      document.end();
      return take();
    },
    styleSheet(sheet) {
      const its = pageOf.get(sheet.namedUrl ?? String(sheet.url)) ?? page;
      return taking(new SheetReader(sheet, its, document.charset ?? 'utf-8'));
    },
    module(script) {
      const its = pageOf.get(script.namedUrl ?? String(script.url)) ?? page;
      return taking(new ModuleReader(script, its));
    },
    frame(frame) {
      const url = new URL(frame.url);
      const its = openPage(url, { ...settings, mobile: false, icons: false });
      its.contentSecurity.add(frame.contentSecurityPolicy ?? '');
      return taking(new DocumentReader(url, frame.contentType ?? '', its));
    },
    failed(failedUrl) {
      for (const each of pages) each.failed(failedUrl);
      return take();
    },
    restart(response = { contentType }) {
      page.contentSecurity.add(response.contentSecurityPolicy ?? '');
      document = new DocumentReader(url, response.contentType ?? '', page);
    },
    finish() {
      for (const each of pages) each.end();
    },
    get charset() {
      return document.charset;
    },
  };
}

function settingsOf(options: ScannerOptions): ScanSettings {
  const { viewport = defaultScreen, dpr = defaultScreen.dpr } = options;
  const { mobile = false, scripting = true, lazyImages = 'near' } = options;
  const { icons = false, media = false, frames = false, styleResources = 'sure' } = options;
  const { width, height } = viewport;
  const screen = { width, height, dpr, isTouched: mobile };
  const explains = options.onSkipped !== undefined;
  return { screen, mobile, scripting, lazyImages, icons, media, frames, styleResources, explains };
}

export type { Priority, Reference, ReferenceKind, ScannedResource, Skipped };
