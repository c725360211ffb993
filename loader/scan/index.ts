// `loadahead/scan`: the scanner alone, for programs with their own network code.

import '../../needs-node.ts';
import { CharsetDecoder, charsetParameter } from './charset.ts';
import type { ScanSettings } from './html/found.ts';
import { HtmlScanner } from './html/html-scanner.ts';
import type { ImportMap } from './modules/import-map.ts';
import { staticImports } from './modules/static-imports.ts';
import {
  type Priority,
  type Reference,
  type ReferenceKind,
  resolveReference,
  type Skipped,
} from './reference.ts';
import { defaultScreen } from './style/environment.ts';

export interface ScannerOptions {
  /** URL of the document, base of relative references. */
  url: string | URL;
  /** The document's Content-Type; its charset parameter determines the encoding. */
  contentType?: string;
  /** Size of the viewport, CSS pixels. Default: 1280 x 800. */
  viewport?: { width: number; height: number };
  /** Device pixels per CSS pixel. Default: 1. */
  dpr?: number;
  /** Scripts run, so nobody sees what is in noscript. Default: true. */
  scripting?: boolean;
  /** Of images with loading=lazy: those that the first view probably shows, or all, or none. Default: near. */
  lazyImages?: 'near' | 'all' | 'none';
  /** Also icons and the manifest, which browsers fetch last. Default: false. */
  icons?: boolean;
  /** Also audio, video and subtitles. Default: false. */
  media?: boolean;
  /** Also the documents of frames, objects and embeds. Default: false. */
  frames?: boolean;
  /** Called inside `write` for what a browser would not fetch, and why. */
  onSkipped?: (skipped: Skipped) => void;
}

/** What a module imports. */
export type ModuleImport = Pick<Reference, 'url' | 'kind'>;

export interface Scanner {
  /**
   * @param chunk The next bytes as received (content coding removed), or text.
   * @returns The references whose tags are now complete, in document order, including duplicates.
   */
  write(chunk: Uint8Array | string): Reference[];
  /** Nothing follows. @returns References that had waited for the document's encoding */
  end(): Reference[];
  /**
   * The static imports of a module script of the page, resolved by its import maps.
   * @param url of the module
   */
  modulesOf(source: string, url: string | URL): ModuleImport[];
  /** WHATWG name of the encoding in use; null while undetermined. */
  readonly charset: string | null;
}

/**
 * Creates an incremental scanner of one HTML document. It finds what a browser's preload scanner finds: scripts, style
 * sheets, preloads and images, with the source that the screen takes; the same in any chunking.
 * @throws TypeError if `url` is not a URL.
 */
export function createScanner(options: ScannerOptions): Scanner {
  const decoder = new CharsetDecoder(charsetParameter(options.contentType ?? ''));
  // Text is already decoded, and its original encoding is unknown.
  let isText = false;
  let found: Reference[] = [];
  const { onSkipped } = options;
  const html = new HtmlScanner(
    new URL(options.url),
    { onReference: (reference) => found.push(reference), onSkipped },
    settingsOf(options),
    () => (isText ? 'utf-8' : decoder.charset),
  );
  const take = () => {
    const taken = found;
    found = [];
    return taken;
  };
  return {
    write(chunk) {
      isText = typeof chunk === 'string';
      html.write(typeof chunk === 'string' ? chunk : decoder.write(chunk));
      return take();
    },
    end() {
      html.write(decoder.end());
      html.end();
      return take();
    },
    modulesOf(source, url) {
      return importsOf(source, new URL(url), html.importMap);
    },
    get charset() {
      return decoder.charset;
    },
  };
}

function importsOf(source: string, from: URL, map: ImportMap): ModuleImport[] {
  return staticImports(source).flatMap(({ specifier, kind }) => {
    const resolved = map.resolve(specifier, from);
    const url = resolved === null ? null : resolveReference(resolved, from, 'utf-8');
    return url === null ? [] : [{ url, kind }];
  });
}

function settingsOf(options: ScannerOptions): ScanSettings {
  const { viewport = defaultScreen, dpr = defaultScreen.dpr } = options;
  const { scripting = true, lazyImages = 'near' } = options;
  const { icons = false, media = false, frames = false } = options;
  const screen = { width: viewport.width, height: viewport.height, dpr };
  return { screen, scripting, lazyImages, icons, media, frames };
}

export type { Priority, Reference, ReferenceKind, Skipped };
