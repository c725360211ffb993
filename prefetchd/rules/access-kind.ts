// Document or embedded object? By the best evidence there is, in this order:
//   1. Sec-Fetch-Dest, where logged: `document` is one; anything else is not, frames included.
//   2. The response's media type, where logged: HTML is a document; images, styles, scripts, fonts,
//      sound, video and data (JSON, XML, WebAssembly) are objects; for others the URL decides.
//   3. A style sheet as Referer: what a style sheet asks for is an object.
//   4. The extension of the path: a known one of an embedded kind is an object. All else is a document:
//      HTML and scripts that make it (.php, .cgi), texts, PDFs and archives one goes to, index pages,
//      and paths without an extension.

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

/** What a request and its response tell besides the path; undefined: unknown. */
export interface KindEvidence {
  /** Value of Sec-Fetch-Dest. */
  fetchDestination: string | undefined;
  /** Media type of the response. */
  contentType: string | undefined;
  referer: string | undefined;
}

/** `pathKind` is what kindOfPath said of its path. */
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
