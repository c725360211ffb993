// `loadahead/scan`: the scanner by itself, for programs with their own network code.

import '../../needs-node.ts';
import { checked, objectOf } from '../../options/options.ts';
import { invalidOption } from '../errors.ts';
import { type Extra, forFrame, type ScanSettings } from './html/found.ts';
import { type ResourceReader, ScanContext, type ScannedResource } from './page-context.ts';
import { DocumentReader, ModuleReader, SheetReader } from './readers.ts';
import type { Priority, Reference, ReferenceKind, Skipped } from './reference.ts';
import { type ScannerOptions, scannerTable } from './scanner-options.ts';

const scannerKind = objectOf(scannerTable);

/** Reads one resource of a page. */
export interface ResourceScanner {
  /**
   * Reads the next part of the resource.
   * @param chunk The next bytes as received (content coding removed), or text.
   * @returns References that are now complete, in order, including duplicates: those of this resource, and those in
   * other resources that its elements turn out to use.
   */
  write(chunk: Uint8Array | string): Reference[];
  /** Ends the resource, of which nothing follows. @returns References that waited for the end */
  end(): Reference[];
}

export interface Scanner extends ResourceScanner {
  /** Reads a style sheet of the page: imports, images and fonts. */
  styleSheet(sheet: ScannedResource): ResourceScanner;
  /** Reads a module script of the page: its static imports, resolved by the page's import maps, at the script's end. */
  module(script: ScannedResource): ResourceScanner;
  /** Reads the document of a frame, object or embed, which is a page of its own. */
  frame(document: ScannedResource): ResourceScanner;
  /** Reports that a font of the page could not be fetched. @returns The next source in its @font-face, if any. */
  failed(url: string): Reference[];
  /** Starts the document over, for a response that is repeated. What was read of sheets and modules is kept. */
  restart(response?: Pick<ScannerOptions, 'contentType' | 'contentSecurityPolicy'>): void;
  /** Called when everything is read: calls `onSkipped` for images and fonts that no element is known to use. */
  finish(): void;
  /** WHATWG name of the encoding in use; null: it is not determined yet. */
  readonly charset: string | null;
}

/**
 * Creates an incremental scanner of one HTML document and of the resources to which it leads. It finds what a browser's
 * preload scanner finds, and what style sheets and modules name; the result is the same in any chunking.
 * @throws TypeError if `url` is not a URL; LoaderError `invalid-option`
 */
export function createScanner(options: ScannerOptions): Scanner {
  const given = checked(scannerKind, options, invalidOption);
  const { viewport, dpr, mobile, also, contentType, onSkipped } = given;
  let found: Reference[] = [];
  const take = () => {
    const taken = found;
    found = [];
    return taken;
  };
  /** For the URL of each style sheet or module, the context of the document that named it first. */
  const pageOf = new Map<string, ScanContext>();
  const screen = { ...viewport, dpr, isTouched: mobile };
  const settings: ScanSettings = { screen, mobile, also };
  const pages: ScanContext[] = [];
  const openPage = (url: URL, its = settings) => {
    const page: ScanContext = new ScanContext(url, its, {
      onReference(reference) {
        const leadsOn = reference.kind === 'stylesheet' || reference.isModule === true;
        if (leadsOn && !pageOf.has(reference.url)) pageOf.set(reference.url, page);
        found.push(reference);
      },
      onSkipped,
    });
    pages.push(page);
    return page;
  };
  const url = new URL(given.url);
  const page = openPage(url);
  page.contentSecurity.add(given.contentSecurityPolicy);
  let document = new DocumentReader(url, contentType, page);
  const taking = (reader: ResourceReader | null): ResourceScanner => ({
    write(chunk) {
      (reader ?? document).write(chunk);
      return take();
    },
    end() {
      (reader ?? document).end();
      return take();
    },
  });
  return {
    ...taking(null), // reads the document, which `restart` begins anew
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
      const its = openPage(url, forFrame(settings));
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

export type { Extra, Priority, Reference, ReferenceKind, ScannedResource, ScannerOptions, Skipped };
