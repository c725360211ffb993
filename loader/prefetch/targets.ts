// Selects what may be prefetched after a page: the targets of its hints and speculation rules, and the resources of
// prefetched documents, filtered by the options.

import { fieldValue, type HeaderPair } from '../../http/header-pairs.ts';
import { mediaType } from '../../http/media-type.ts';
import { mayHintRule, type UrlRule } from '../../prefetchd/rules/deny-list.ts';
import { type Hint, parseSpeculationRules } from '../../prefetchd/wire/index.ts';
import { type DiscoveryOptions, scannerOptions } from '../discovery-options.ts';
import type { LimitOptions } from '../options.ts';
import { type HintingPage, type HintSource, merged } from '../page/hints-of.ts';
import type { ResourceKind } from '../page-load.ts';
import { decodeWhole } from '../response/content-coding.ts';
import type { ResponseHead } from '../transport/exchange.ts';
import { DocumentScan } from './document-scan.ts';
import type { PrefetchOptions } from './prefetch-options.ts';

/** A prefetch as a source of further targets. */
interface Prefetch {
  target: PrefetchTarget;
  head: ResponseHead | null;
  body: Buffer;
  scan: DocumentScan | null;
}

export interface TargetsContext {
  limits: LimitOptions;
  discovery: DiscoveryOptions;
}

export class Targets {
  readonly #policy: PrefetchPolicy;
  readonly #limits: LimitOptions;
  readonly #discovery: DiscoveryOptions;

  constructor(options: Required<PrefetchOptions>, { limits, discovery }: TargetsContext) {
    this.#policy = new PrefetchPolicy(options);
    this.#limits = limits;
    this.#discovery = discovery;
  }

  ofPage({ source, hints, rules }: HintingPage): PrefetchTarget[] {
    return [...rulesTargets(rules, source), ...this.#hinted(hints, source)];
  }

  ofRules({ body, head, target }: Prefetch): PrefetchTarget[] {
    const hints = hintsOfRules(head?.headers ?? [], body, target.url, this.#limits);
    return this.#hinted(hints, target.source);
  }

  /**
   * Starts to scan an arriving document. @param onFound Called when `ofDocument` has new targets.
   * @returns null if the response is not HTML, or cannot be decoded.
   */
  scan(target: PrefetchTarget, { headers }: ResponseHead, onFound: () => void) {
    const contentType = mediaType(headers);
    if (target.kind !== 'document' || !/^text\/html/i.test(contentType)) return null;
    const contentEncoding = fieldValue(headers, 'content-encoding');
    const contentSecurityPolicy = fieldValue(headers, 'content-security-policy');
    const { url } = target;
    try {
      return new DocumentScan({
        scanner: { ...scannerOptions(this.#discovery), url, contentType, contentSecurityPolicy },
        contentEncoding,
        limits: this.#limits,
        onFound,
      });
    } catch {
      return null; // its content coding is unsupported
    }
  }

  /** Targets of the document that were found since the last call. */
  ofDocument({ scan, target }: Prefetch): PrefetchTarget[] {
    const { probability } = target;
    const found = (scan?.take() ?? []).map((need): PrefetchTarget => ({ ...target, ...need }));
    return found.filter(({ url }) =>
      this.#policy.mayPrefetch({ url, probability, kind: 'object' }, target.url),
    );
  }

  #hinted(hints: readonly Hint[], source: HintSource): PrefetchTarget[] {
    return merged(hints)
      .filter((hint) => this.#policy.mayPrefetch(hint, source.url))
      .map((hint) => targetOf(hint, source))
      .filter(({ url }) => url !== source.url);
  }
}

export class PrefetchPolicy {
  readonly #options: Required<PrefetchOptions>;
  readonly #mayFetch: UrlRule;

  constructor(options: Required<PrefetchOptions>) {
    this.#options = options;
    const query = options.queries ? 'keep' : 'evidence';
    this.#mayFetch = mayHintRule({ query, deny: options.deny });
  }

  /** Whether the URL may be requested without the user's action. @param pageUrl URL of the hinting page. */
  mayPrefetch({ url, probability, kind }: Hint, pageUrl: string): boolean {
    if (!(probability >= this.#options.minProbability)) return false;
    const target = URL.parse(url);
    if (target === null || target.origin !== new URL(pageUrl).origin) return false;
    if (target.username !== '' || target.password !== '') return false;
    return this.#mayFetch(url, kind);
  }
}

export interface PrefetchTarget {
  url: string;
  kind: ResourceKind;
  probability: number;
  /** URL of the document that the target belongs to: the target itself, or the document that needs it. */
  document: string;
  /** The page after which the target is fetched. */
  source: HintSource;
  /** true if the target is a document of speculation rules (JSON). */
  isRules?: true;
}

/** Most speculation rules documents per page. */
const mostRules = 2;
/** Largest decoded speculation rules document, bytes; the default of `maxResourceBytes` is the same. */
const mostRulesBytes = 64 * 1024;

export function rulesTargets(rules: readonly string[], source: HintSource): PrefetchTarget[] {
  return rules.slice(0, mostRules).map((url) => ({
    url,
    kind: 'other',
    probability: 1,
    document: source.url,
    source,
    isRules: true,
  }));
}

export function targetOf({ url, probability, kind }: Hint, source: HintSource): PrefetchTarget {
  const isDocument = kind === 'document';
  return {
    url,
    probability,
    document: url,
    source,
    kind: isDocument ? 'document' : kindOfName(url),
  };
}

/** The hints in speculation rules. @param headers Fields of the response that contains the rules. */
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

/** The likely kind of an embedded object, which determines the Accept field. */
function kindOfName(url: string): ResourceKind {
  const [, extension = ''] = /\.([a-z0-9]+)$/i.exec(new URL(url).pathname) ?? [];
  if (/^(?:gif|png|jpe?g|webp|avif|svg|ico|bmp)$/i.test(extension)) return 'image';
  if (/^css$/i.test(extension)) return 'stylesheet';
  return /^m?js$/i.test(extension) ? 'script' : 'other';
}
