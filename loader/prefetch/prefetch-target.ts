// What may be asked for behind a page: what its hints name, what its speculation rules name, and what a
// document that was prefetched needs.

import { type Hint, parseSpeculationRules } from '../../prefetchd/wire.ts';
import { decodeWhole } from '../content-coding.ts';
import type { LimitOptions } from '../options.ts';
import type { HeaderPair, ResourceKind } from '../page-load.ts';
import { createScanner } from '../scan/index.ts';

/** A page that hints. */
export interface PrefetchSource {
  /** Of its document, redirects followed. */
  url: string;
  /** Origin of the URL the load was asked for: the only one that gets the caller's own fields. */
  askedOrigin: string;
  /** Does the page let its link be followed? */
  follows: (url: string) => boolean;
}

export interface PrefetchTarget {
  url: string;
  kind: ResourceKind;
  probability: number;
  /** The document it is for: itself, or the one that needs it. */
  document: string;
  /** The page behind which it is fetched. */
  source: PrefetchSource;
  /** It is no resource but a document of speculation rules. */
  isRules?: true;
}

/** Documents with speculation rules that one page may name. */
const mostRules = 2;
/** Bytes of one after decoding, and of a prefetched document that is looked through. */
const mostRulesBytes = 256 * 1024;
const mostDocumentBytes = 4 * 1024 * 1024;
/** Extensions of documents, and of programs that make them. */
const makesPages = /^(?:[sx]?html?|xht|php\d?|aspx?|jspx?|cfm|cgi|pl|py|rb|do|action)$/i;

export function rulesTargets(rules: readonly string[], source: PrefetchSource): PrefetchTarget[] {
  return rules.slice(0, mostRules).map((url) => ({
    ...{ url, kind: 'other', probability: 1, document: source.url, source, isRules: true },
  }));
}

export function targetOf({ url, probability, kind }: Hint, source: PrefetchSource): PrefetchTarget {
  const isDocument = kind === 'document';
  return {
    ...{ url, probability, document: url, source },
    kind: isDocument ? 'document' : kindOfName(url),
  };
}

/**
 * May it be asked for in parts? A document may not: its hints stand in the header section of a whole response,
 * and it is mostly made when it is asked for. What looks like a file of another type is no document, whatever the
 * hint says.
 */
export function mayComeInParts({ url, kind, isRules }: PrefetchTarget): boolean {
  if (isRules) return false;
  if (kind !== 'document') return true;
  const [, extension] = /\.([a-z][a-z0-9]{0,9})$/i.exec(new URL(url).pathname) ?? [];
  return extension !== undefined && !makesPages.test(extension);
}

/** What speculation rules name. @param headers of the response that brought them. */
export function hintsOfRules(
  headers: readonly HeaderPair[],
  body: Buffer,
  url: string,
  limits: LimitOptions,
): Hint[] {
  const text = decoded(headers, body, limits, mostRulesBytes);
  return text === null ? [] : parseSpeculationRules(text.toString(), url).hints;
}

/** What a prefetched document needs of its own origin, in its order. */
export function needsOf(
  target: PrefetchTarget,
  headers: readonly HeaderPair[],
  body: Buffer,
  limits: LimitOptions,
): PrefetchTarget[] {
  const contentType = fieldOf(headers, 'content-type');
  if (target.kind !== 'document' || !/^text\/html/i.test(contentType)) return [];
  const bytes = decoded(headers, body, limits, mostDocumentBytes);
  if (bytes === null) return [];
  const { url } = target;
  const { origin } = new URL(url);
  const found = new Map<string, PrefetchTarget>();
  const scanner = createScanner({
    url,
    contentType,
    onReference: (reference) => {
      if (new URL(reference.url).origin !== origin || found.size >= limits.maxReferences) return;
      found.set(reference.url, { ...target, url: reference.url, kind: reference.kind });
    },
  });
  scanner.write(bytes);
  scanner.end();
  return [...found.values()];
}

function decoded(
  headers: readonly HeaderPair[],
  body: Buffer,
  { maxCodings, maxResourceBytes }: LimitOptions,
  mostBytes: number,
): Buffer | null {
  const limits = { maxCodings, maxResourceBytes: Math.min(maxResourceBytes, mostBytes) };
  const bytes = decodeWhole(fieldOf(headers, 'content-encoding'), body, limits);
  return bytes !== null && bytes.length <= mostBytes ? bytes : null;
}

function fieldOf(headers: readonly HeaderPair[], name: string): string {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? '';
}

/** What an embedded object is most likely to be: it decides what the request accepts. */
function kindOfName(url: string): ResourceKind {
  const [, extension = ''] = /\.([a-z0-9]+)$/i.exec(new URL(url).pathname) ?? [];
  if (/^(?:gif|png|jpe?g|webp|avif|svg|ico|bmp)$/i.test(extension)) return 'image';
  if (/^css$/i.test(extension)) return 'stylesheet';
  return /^m?js$/i.test(extension) ? 'script' : 'other';
}
