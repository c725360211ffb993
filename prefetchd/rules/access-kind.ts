// Classifies an access of a log as document or embedded object, by the best available evidence:
//   1. Sec-Fetch-Dest, if logged: `document` is a document, anything else an object, frames included.
//   2. Media type of the response, if logged: HTML is a document; images, styles, scripts, fonts, audio, video and data
//      (JSON, XML, WebAssembly) are objects; for others the URL decides.
//   3. A style sheet as Referer: an object.
//   4. Extension of the path: known embedded types are objects. Everything else is a document: HTML, scripts that
//      generate it (.php, .cgi), texts, PDFs, archives, index pages, and paths without an extension.

import type { AccessKind } from '../access.ts';

const objectExtensions = new Set(
  `css js mjs map wasm json jsonp webmanifest xml rss atom
   png gif jpg jpeg jpe jfif webp avif heic svg svgz ico cur bmp tif tiff xbm xpm pcx
   woff woff2 ttf otf eot
   mp3 ogg oga wav aac m4a flac au snd aif aiff mid midi ra ram weba
   mp4 m4v webm ogv avi mov qt mpg mpeg mpe m3u8 ts vtt
   swf class jar htc`.split(/\s+/),
);

const longestExtension = 12;

export function kindOfPath(path: string): AccessKind {
  const dot = path.lastIndexOf('.');
  if (dot === -1 || path.length - dot - 1 > longestExtension || path.indexOf('/', dot) !== -1) {
    return 'document';
  }
  return objectExtensions.has(path.slice(dot + 1).toLowerCase()) ? 'object' : 'document';
}

/** Evidence in a request and its response besides the path; undefined: unknown. */
export interface KindEvidence {
  /** Value of Sec-Fetch-Dest. */
  fetchDestination: string | undefined;
  /** Media type of the response. */
  contentType: string | undefined;
  referer: string | undefined;
}

/** @param pathKind result of kindOfPath for its path */
export function kindOfLine(line: KindEvidence, pathKind: AccessKind): AccessKind {
  if (line.fetchDestination) return line.fetchDestination === 'document' ? 'document' : 'object';
  if (line.contentType !== undefined) {
    const kind = kindOfContentType(line.contentType);
    if (kind !== undefined) return kind;
  }
  if (pathKind === 'document' && line.referer?.includes('.css') && isStyleSheet(line.referer)) {
    return 'object';
  }
  return pathKind;
}

function kindOfContentType(contentType: string): AccessKind | undefined {
  if (/^(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType)) return 'document';
  const object =
    /^(?:(?:image|audio|video|font)\/|text\/(?:css|javascript|xml)\b|application\/(?:javascript|x-javascript|ecmascript|json|manifest\+json|xml|wasm|font|x-font|rss\+xml|atom\+xml)\b)/i;
  return object.test(contentType) ? 'object' : undefined;
}

function isStyleSheet(referer: string): boolean {
  return /^[^?#]{0,2048}\.css(?:[?#]|$)/i.test(referer);
}
