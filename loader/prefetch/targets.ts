// Selects what may be prefetched after a page: the targets of its hints and speculation rules, and the resources of
// prefetched documents, filtered by the options.

import { fieldValue, type HeaderPair } from '../../http/header-pairs.ts';
import { mediaType } from '../../http/media-type.ts';
import { mayHintRule } from '../../prefetchd/rules/deny-list.ts';
import type { Hint } from '../../prefetchd/wire/hint.ts';
import { parseSpeculationRules } from '../../prefetchd/wire/speculation-rules.ts';
import type { DiscoverySettings } from '../discovery-options.ts';
import type { LoaderLimits } from '../options.ts';
import { type HintingDocument, type HintingPage, merged } from '../page/hints-of.ts';
import type { ResourceKind } from '../page-load.ts';
import { decodeWhole } from '../response/content-coding.ts';
import { createScanner } from '../scan/index.ts';
import { isResource } from '../scan/reference.ts';
import type { ResponseHead } from '../transport/exchange.ts';
import type { PrefetchSettings } from './prefetch-options.ts';

/** A completed prefetch whose response may name further URLs to prefetch. */
interface SourcePrefetch {
  target: PrefetchTarget;
  head: ResponseHead | null;
  body: Buffer;
}

/** Largest prefetched document that is scanned for resources to prefetch, decoded bytes. */
const mostScannedBytes = 4 * 1024 * 1024;

export interface TargetsContext {
  limits: LoaderLimits;
  discovery: DiscoverySettings;
}

export class Targets {
  readonly #options: PrefetchSettings;
  readonly #mayPrefetch: ReturnType<typeof prefetchRule>;
  readonly #limits: LoaderLimits;
  readonly #discovery: DiscoverySettings;

  constructor(options: PrefetchSettings, { limits, discovery }: TargetsContext) {
    this.#options = options;
    this.#mayPrefetch = prefetchRule(options);
    this.#limits = limits;
    this.#discovery = discovery;
  }

  ofPage({ source, hints, rules }: HintingPage): PrefetchTarget[] {
    return [...rulesTargets(rules, source), ...this.#hinted(hints, source)];
  }

  ofRules({ body, head, target }: SourcePrefetch): PrefetchTarget[] {
    const hints = hintsOfRules(head?.headers ?? [], body, target.url, this.#limits);
    return this.#hinted(hints, target.source);
  }

  /** Returns the same-origin resources that a prefetched document names; none without the option `subresources`. */
  ofDocument({ target, head, body }: SourcePrefetch): PrefetchTarget[] {
    const { url, probability } = target;
    const headers = head?.headers ?? [];
    const contentType = mediaType(headers);
    const isHtml = target.kind === 'document' && /^text\/html/i.test(contentType);
    if (!this.#options.subresources || !isHtml) return [];
    const { maxCodings, maxReferences } = this.#limits;
    const limits = { maxCodings, maxResourceBytes: mostScannedBytes };
    const text = decodeWhole(fieldValue(headers, 'content-encoding'), body, limits);
    if (text === null) return [];
    const contentSecurityPolicy = fieldValue(headers, 'content-security-policy');
    const { viewport, also } = this.#discovery;
    const scanner = createScanner({ viewport, also, url, contentType, contentSecurityPolicy });
    const { origin } = new URL(url);
    const needs = [...scanner.write(text), ...scanner.end()]
      .filter(isResource)
      .filter((need) => new URL(need.url).origin === origin)
      .map((need): [string, ResourceKind] => [need.url, need.kind]);
    return [...new Map(needs)]
      .slice(0, maxReferences)
      .map(([url, kind]): PrefetchTarget => ({ ...target, url, kind }))
      .filter(({ url }) => this.#mayPrefetch({ url, probability, kind: 'object' }, target.url));
  }

  #hinted(hints: readonly Hint[], source: HintingDocument): PrefetchTarget[] {
    return merged(hints)
      .filter((hint) => this.#mayPrefetch(hint, source.url))
      .map((hint) => targetOf(hint, source))
      .filter(({ url }) => url !== source.url);
  }
}

/** Returns the rule whether a URL may be requested without the user's action. `pageUrl`: URL of the hinting page. */
export function prefetchRule({ deny, threshold }: PrefetchSettings) {
  const mayFetch = mayHintRule({ query: 'evidence', deny });
  return ({ url, probability, kind }: Hint, pageUrl: string): boolean => {
    if (!(probability >= threshold)) return false;
    const target = URL.parse(url);
    if (target === null || target.origin !== new URL(pageUrl).origin) return false;
    if (target.username !== '' || target.password !== '') return false;
    return mayFetch(url, kind);
  };
}

export interface PrefetchTarget {
  url: string;
  kind: ResourceKind;
  probability: number;
  /** URL of the document for which `url` is prefetched: `url` itself, or the prefetched document that needs it. */
  document: string;
  /** The loaded page whose hints led to this prefetch. */
  source: HintingDocument;
  /** true if what is prefetched is a document of speculation rules (JSON), which names further URLs. */
  isRules?: true;
}

/** Limit on speculation rules documents per page. */
const mostRules = 2;
/** Largest decoded speculation rules document, bytes; the default of `maxResourceBytes` is the same. */
const mostRulesBytes = 64 * 1024;

export function rulesTargets(rules: readonly string[], source: HintingDocument): PrefetchTarget[] {
  return rules.slice(0, mostRules).map((url) => ({
    url,
    kind: 'other',
    probability: 1,
    document: source.url,
    source,
    isRules: true,
  }));
}

export function targetOf(
  { url, probability, kind }: Hint,
  source: HintingDocument,
): PrefetchTarget {
  const isDocument = kind === 'document';
  return {
    url,
    probability,
    document: url,
    source,
    kind: isDocument ? 'document' : kindOfName(url),
  };
}

/** Reads the prefetch hints in a response that contains speculation rules (JSON). @param headers Its header fields. */
export function hintsOfRules(
  headers: readonly HeaderPair[],
  body: Buffer,
  url: string,
  limits: LoaderLimits,
): Hint[] {
  const { maxCodings } = limits;
  const maxResourceBytes = Math.min(limits.maxResourceBytes, mostRulesBytes);
  const coding = fieldValue(headers, 'content-encoding');
  const text = decodeWhole(coding, body, { maxCodings, maxResourceBytes });
  if (text === null || text.length > maxResourceBytes) return [];
  return parseSpeculationRules(text.toString(), url).hints;
}

/** Guesses the kind of an embedded object from its file extension; the kind determines the Accept field. */
function kindOfName(url: string): ResourceKind {
  const [, extension = ''] = /\.([a-z0-9]+)$/i.exec(new URL(url).pathname) ?? [];
  if (/^(?:gif|png|jpe?g|webp|avif|svg|ico|bmp)$/i.test(extension)) return 'image';
  if (/^css$/i.test(extension)) return 'stylesheet';
  return /^m?js$/i.test(extension) ? 'script' : 'other';
}
