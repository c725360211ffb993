// `loadahead/scan`: the scanner by itself, for programs that have their own way to get bytes.

import '../../needs-node.ts';
import { CharsetDecoder, charsetParameter } from './charset.ts';
import { HtmlScanner } from './html.ts';
import type { OnReference, Reference } from './reference.ts';

export interface ScannerOptions {
  /** URL of the document: what relative references are resolved against. */
  url: string | URL;
  /** Called for each reference, inside `write`, in document order; duplicates are not removed. */
  onReference: OnReference;
  /** The document's Content-Type value; its charset parameter decides the encoding. */
  contentType?: string;
}

export interface Scanner {
  /** The next bytes as they came (content coding removed), or text. */
  write(chunk: Uint8Array | string): void;
  end(): void;
  /** The encoding in use (WHATWG name); null while nothing told it yet. */
  readonly charset: string | null;
}

/**
 * An incremental scanner of one HTML document: img src, script src, link rel=stylesheet href, and
 * base href, the same in every chunking.
 * @throws TypeError when `url` is not a URL.
 */
export function createScanner(options: ScannerOptions): Scanner {
  const decoder = new CharsetDecoder(charsetParameter(options.contentType ?? ''));
  // Text has been decoded by somebody else: of what, nobody can tell.
  let isText = false;
  const encoding = () => (isText ? 'utf-8' : decoder.charset);
  const html = new HtmlScanner(new URL(options.url), options.onReference, encoding);
  return {
    write(chunk) {
      isText = typeof chunk === 'string';
      html.write(typeof chunk === 'string' ? chunk : decoder.write(chunk));
    },
    end() {
      html.write(decoder.end());
      html.end();
    },
    get charset() {
      return decoder.charset;
    },
  };
}

export type { OnReference, Reference };
