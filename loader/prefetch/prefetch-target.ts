// What may be asked for behind a page: what its hints name, and what its speculation rules name.

import { fieldValue, type HeaderPair } from '../../http/header-pairs.ts';
import { type Hint, parseSpeculationRules } from '../../prefetchd/wire/index.ts';
import type { LimitOptions } from '../options.ts';
import type { ResourceKind } from '../page-load.ts';
import { decodeWhole } from '../response/content-coding.ts';

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
/** Bytes of one after decoding: no more is read of one, nor comes of it by default (`maxWholeBytes`). */
const mostRulesBytes = 64 * 1024;
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
  const { maxCodings } = limits;
  const maxResourceBytes = Math.min(limits.maxResourceBytes, mostRulesBytes);
  const coding = fieldValue(headers, 'content-encoding');
  const text = decodeWhole(coding, body, { maxCodings, maxResourceBytes });
  if (text === null || text.length > maxResourceBytes) return [];
  return parseSpeculationRules(text.toString(), url).hints;
}

/** What an embedded object is most likely to be: it decides what the request accepts. */
function kindOfName(url: string): ResourceKind {
  const [, extension = ''] = /\.([a-z0-9]+)$/i.exec(new URL(url).pathname) ?? [];
  if (/^(?:gif|png|jpe?g|webp|avif|svg|ico|bmp)$/i.test(extension)) return 'image';
  if (/^css$/i.test(extension)) return 'stylesheet';
  return /^m?js$/i.test(extension) ? 'script' : 'other';
}
