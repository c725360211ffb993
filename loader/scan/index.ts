// `loadahead/scan`: the scanner alone, for programs with their own network code.

import '../../needs-node.ts';
import { CharsetDecoder, charsetParameter } from './charset.ts';
import { HtmlScanner } from './html.ts';
import type { OnReference, Reference } from './reference.ts';

export interface ScannerOptions {
  /** URL of the document, base of relative references. */
  url: string | URL;
  /** Called for each reference, inside `write`, in document order, including duplicates. */
  onReference: OnReference;
  /** The document's Content-Type; its charset parameter determines the encoding. */
  contentType?: string;
}

export interface Scanner {
  /** The next bytes as received (content coding removed), or text. */
  write(chunk: Uint8Array | string): void;
  end(): void;
  /** WHATWG name of the encoding in use; null while undetermined. */
  readonly charset: string | null;
}

/**
 * Creates an incremental scanner of one HTML document. It finds img src, script src and link rel=stylesheet href,
 * resolved by base href, the same in any chunking.
 * @throws TypeError if `url` is not a URL.
 */
export function createScanner(options: ScannerOptions): Scanner {
  const decoder = new CharsetDecoder(charsetParameter(options.contentType ?? ''));
  // Text is already decoded, and its original encoding is unknown.
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
