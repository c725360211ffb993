// Classifies an access as a document (a page that was opened), an embedded object, or neither: a download, a feed, data
// opened as a page, or a part of a document (206). Accesses of neither kind are left out: they are no pages, and as
// objects they would be hinted whatever their size. The best available evidence decides:
//   1. Sec-Fetch-Dest, if known: `document` is a document or neither, `speculationrules` neither, anything else an
//      object, frames included; `empty` on a prefetch by Link says nothing.
//   2. Media type of the response, if known: HTML is a document; images, styles, scripts, fonts, audio, video and data
//      (JSON, XML, WebAssembly) are objects, unless navigated to; archives, programs and feeds are neither.
//   3. A style sheet as Referer means an object.
//   4. The path: known embedded extensions are objects, downloads and feeds neither. Everything else is a document:
//      HTML, scripts that generate it (.php, .cgi), texts, PDFs, index pages, and paths without an extension.

import type { AccessKind } from '../access.ts';

/** Kind of an access; `not-page`: it is neither a page nor an object of a page. */
export type JudgedKind = AccessKind | 'not-page';

const objectExtensions = new Set(
  `css js mjs map wasm json jsonp webmanifest xml
   png gif jpg jpeg jpe jfif webp avif heic svg svgz ico cur bmp tif tiff xbm xpm pcx
   woff woff2 ttf otf eot
   mp3 ogg oga wav aac m4a flac au snd aif aiff mid midi ra ram weba
   mp4 m4v webm ogv avi mov qt mpg mpeg mpe m3u8 ts vtt
   swf class jar htc`.split(/\s+/),
);

const downloadExtensions = new Set(
  `zip gz tgz tar 7z rar bz2 tbz xz txz zst lz4
   exe msi msix dmg pkg iso img deb rpm apk ipa appimage bin log torrent
   rss atom rdf`.split(/\s+/),
);

/** Extensions of files that open no page: objects and downloads. */
export const noPageExtensions: readonly string[] = [...objectExtensions, ...downloadExtensions];

/** A regular expression for URLs in lower case whose extension is that of an object. It has no backslashes, which SQL
 *  dialects read differently (warehouse/statement.ts). */
export const objectPattern = `^[^?#]*[.](${[...objectExtensions].join('|')})([?#]|$)`;

const longestExtension = 12;

/** Returns `document` or `object` for a request target, by its text alone. @param target path and query */
export function kindOfTarget(target: string): AccessKind {
  const end = target.search(/[?#]/);
  const path = end === -1 ? target : target.slice(0, end);
  const isData = isDataPath(path) || (end !== -1 && isDataQuery(target.slice(end + 1)));
  return isData ? 'object' : kindOfPath(path);
}

/** Returns `document` or `object` for a path, by its extension. @param path without query */
export function kindOfPath(path: string): AccessKind {
  return objectExtensions.has(extensionOf(path)) ? 'object' : 'document';
}

/** Returns the extension of a path in lower case; '' if there is none. */
function extensionOf(path: string): string {
  const dot = path.lastIndexOf('.');
  if (dot === -1 || path.length - dot - 1 > longestExtension || path.indexOf('/', dot) !== -1) {
    return '';
  }
  return path.slice(dot + 1).toLowerCase();
}

/** Matches queries by which scripts request data: their responses are no pages, whatever else the URL says. */
const dataQuery =
  /(?:^|&)(?:relatedposts|wc-ajax|ajax|is_ajax|xhr|_pjax|jsonp|callback|rest_route|doing_wp_cron|_format=json|format=(?:json|raw|xml)|tmpl=component)(?:[=&]|$)/i;

/** Matches paths of interfaces for programs, by names that no page has. `/api/` alone does not match, as it is often
 *  documentation. */
const dataPath =
  /\/(?:wp-json|graphql|socket\.io|sockjs|signalr|cdn-cgi|_next\/data|_nuxt\/data|(?:api|rest)\/v\d{1,3}|admin-ajax\.php|ajax(?:\.php)?)(?:\/|$)|\.(?:ashx|asmx|axd|svc|do\.json)$/i;

const longestExamined = 2048;

/** Returns whether the query is that of a script's request. @param query without `?` */
function isDataQuery(query: string): boolean {
  return dataQuery.test(query.slice(0, longestExamined));
}

/** Returns whether the path is that of an interface for programs. @param path without query */
export function isDataPath(path: string): boolean {
  return dataPath.test(path.slice(0, longestExamined));
}

/** Matches documents that people read but that link to no page; the dashboard lists them with objects. */
const readFiles =
  /\.(?:pdf|ps|epub|docx?|xlsx?|pptx?|od[tsp]|rtf|txt|md|csv|tsv|tex|bib|sig|asc)$/i;

/** Returns whether a document is a file, such as a PDF. @param url path and query */
export function isFileDocument(url: string): boolean {
  const end = url.search(/[?#]/);
  return readFiles.test(end === -1 ? url : url.slice(0, end));
}

/** Matches paths of WordPress's feeds: `/feed/`, `/category/news/feed/rss2/`. */
const feedPath = /(?:^|\/)(?:feed(?:\/(?:rss2?|rdf|atom))?|rss2?)\/?$/i;
const feedQuery = /[?&]feed=(?:comments-)?(?:rss2?|rdf|atom)(?:[&#]|$)/i;

/** Returns whether a URL is, by its name, that of a download or feed. @param url path and query, or an absolute URL */
export function isNoPage(url: string): boolean {
  const end = url.search(/[?#]/);
  const path = end === -1 ? url : url.slice(0, end);
  if (downloadExtensions.has(extensionOf(path)) || feedPath.test(path.slice(-longestFeedPath))) {
    return true;
  }
  return end !== -1 && feedQuery.test(url.slice(end, end + longestQuery));
}

const longestFeedPath = 32;
const longestQuery = 1024;

/** What request and response, besides the path, tell about whether an access is to a page; undefined: not known. */
export interface KindEvidence {
  /** Value of Sec-Purpose, Purpose or X-Moz, which marks prefetches. */
  purpose?: string | undefined;
  /** Value of the request's Sec-Fetch-Dest. */
  fetchDestination: string | undefined;
  /** Media type of the response. */
  contentType: string | undefined;
  referer: string | undefined;
  status: number;
}

/** Returns `document`, `object` or `not-page` for an access, by the best evidence. @param pathKind result of kindOfPath
 *  for its path @param isNoPagePath result of isNoPage for its path and query */
export function kindOfLine(
  line: KindEvidence,
  pathKind: AccessKind,
  isNoPagePath = false,
): JudgedKind {
  const { fetchDestination, contentType, status } = line;
  const isNavigation = fetchDestination === 'document';
  if (fetchDestination === 'speculationrules') return 'not-page';
  const isByLink = fetchDestination === 'empty' && line.purpose?.includes('prefetch') === true;
  if (fetchDestination && !isNavigation && !isByLink) return 'object';
  if (!isNavigation && isEmbedded(line, pathKind, isNoPagePath)) return 'object';
  return kindOfDocument({ status, contentType, isNavigation, isNoPagePath });
}

/** Returns whether a request that has no Sec-Fetch-Dest, or is a prefetch by Link, is for an embedded object. */
function isEmbedded(
  { contentType, referer }: KindEvidence,
  pathKind: AccessKind,
  isNoPagePath: boolean,
): boolean {
  switch (kindOfContentType(contentType)) {
    case 'document':
      return false;
    case 'object':
      return true;
    case 'data':
      return !isNoPagePath;
    case 'not-page':
      // Servers send application/octet-stream for extensions they do not know, such as those of fonts.
      return pathKind === 'object' && /^application\/octet-stream\b/i.test(contentType ?? '');
    default:
      return pathKind === 'object' || (referer?.includes('.css') === true && isStyleSheet(referer));
  }
}

/** What the response to a request for a document tells about whether it really is one. */
export interface DocumentEvidence {
  status: number;
  /** Media type of the response; undefined if unknown, and for a 304. */
  contentType: string | undefined;
  /** True if the request was certainly a navigation: then JSON or other data is shown or saved, not used by a page. */
  isNavigation: boolean;
  /** True if the response has Content-Disposition: attachment. */
  isAttachment?: boolean;
  /** True if path and query are, by their names, those of a download or feed (isNoPage). */
  isNoPagePath: boolean;
}

export function kindOfDocument(evidence: DocumentEvidence): JudgedKind {
  const { status, contentType, isNavigation, isAttachment, isNoPagePath } = evidence;
  if (status === 206 || isAttachment) return 'not-page';
  switch (kindOfContentType(contentType)) {
    case 'document':
      return 'document';
    case 'not-page':
      return 'not-page';
    case 'data':
      return isNavigation || isNoPagePath ? 'not-page' : 'object';
    case 'object':
      return isNavigation ? 'document' : 'object';
    default:
      return isNoPagePath ? 'not-page' : 'document';
  }
}

const html = /^(?:text\/html|application\/xhtml\+xml)\b/i;
const shown = /^(?:image|audio|video|font)\/|^text\/(?:css|javascript)\b/i;
const data =
  /^(?:text\/xml\b|application\/(?:javascript|x-javascript|ecmascript|json|manifest\+json|ld\+json|xml|wasm|font|x-font|x-ndjson|vnd\.api\+json)\b)/i;
const noPage =
  /^application\/(?:(?:rss|atom|rdf|feed)\+(?:xml|json)|octet-stream|zip|gzip|zstd|(?:x-)?(?:zip-compressed|gzip|tar|gtar|7z-compressed|bzip2?|xz|rar(?:-compressed)?|msdownload|msi|dosexec|apple-diskimage|iso9660-image|debian-package|rpm|redhat-package-manager|bittorrent)|vnd\.(?:rar|debian\.binary-package|android\.package-archive|microsoft\.portable-executable))\s*(?:;|$)/i;

function kindOfContentType(type: string | undefined): JudgedKind | 'data' | undefined {
  if (type === undefined) return undefined;
  if (html.test(type)) return 'document';
  if (noPage.test(type)) return 'not-page';
  if (shown.test(type)) return 'object';
  return data.test(type) ? 'data' : undefined;
}

/** Returns whether the URL is, by its name, that of a style sheet. */
export function isStyleSheet(referer: string): boolean {
  return /^[^?#]{0,2048}\.css(?:[?#]|$)/i.test(referer);
}
