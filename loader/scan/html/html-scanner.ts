// Finds what a browser would fetch for an HTML document, the same in any chunking, each reference as soon as its tag is
// complete. It uses a tokenizer but no parser: of the tree it knows what decides about a reference (open-elements.ts),
// and hostile nesting costs it nothing.

import { ImportMap } from '../modules/import-map.ts';
import { dependsOnEncoding } from '../query-encoding.ts';
import { type Reference, resolveReference, type Skipped } from '../reference.ts';
import { metaReferrerPolicy, type ReferrerPolicy } from '../referrer-policy.ts';
import { matchesMedia } from '../style/matches-media.ts';
import { contentModelOf } from '../tokens/content-model.ts';
import { type StartTag, Tokenizer } from '../tokens/tokenizer.ts';
import { ContentSecurityPolicy } from './content-security-policy.ts';
import { type Found, nothing, type PageState, referenceTo, type ScanSettings } from './found.ts';
import { img, Picture } from './images.ts';
import { OpenElements } from './open-elements.ts';
import { htmlRules, inForeign, inHtml, mediaSource, svgRules } from './rules.ts';
import { inlineImports, inlineTypeOf } from './scripts.ts';

/** Chromium's longest URL, in bytes. */
const longestUrl = 2 * 1024 * 1024;

/** The rest of a longer inline script is not read. */
const longestInline = 1024 * 1024;

export interface ScanHandlers {
  onReference: (reference: Reference) => void;
  /** Absent: nobody asks why something is not fetched. */
  onSkipped?: ((skipped: Skipped) => void) | undefined;
}

/** A reference as written, where it was, and what had been said before it. */
interface Noted extends Found {
  from: string;
  offset: number;
}

/** What changes the meaning of references after it: a base, an import map, a Content Security Policy. */
type Step = { base: string } | { map: string } | { policy: string };

export class HtmlScanner {
  /** Of the page, as far as it was read: what the specifiers of its modules mean. */
  readonly importMap = new ImportMap();
  readonly #tokenizer: Tokenizer;
  readonly #handlers: ScanHandlers;
  readonly #encoding: () => string | null;
  readonly #settings: ScanSettings;
  readonly #elements = new OpenElements();
  readonly #contentSecurity: ContentSecurityPolicy;
  readonly #page: PageState & { images: number };
  /** In order, from the first one that depends on the still unknown encoding. */
  #undecided: Array<Noted | Step> = [];
  #base: URL;
  #baseSeen = false;
  /** Of the last <meta name=referrer>; null: none. */
  #policy: ReferrerPolicy | null = null;
  #picture: Picture | null = null;
  /** The open video or audio that has no src. */
  #media: StartTag | null = null;
  /** The open script whose text counts. */
  #inline: { type: 'module' | 'importmap'; tag: StartTag; text: string } | null = null;

  /**
   * @param base URL of the document; `<base href>` replaces it for what follows.
   * @param encoding Returns the document's encoding by name; null while unknown.
   */
  constructor(
    base: URL,
    handlers: ScanHandlers,
    settings: ScanSettings,
    encoding: () => string | null,
  ) {
    this.#base = base;
    this.#contentSecurity = new ContentSecurityPolicy(base);
    this.#handlers = handlers;
    this.#settings = settings;
    this.#encoding = encoding;
    this.#page = {
      settings,
      images: 0,
      matches: (media) => matchesMedia(media, settings.screen),
    };
    this.#tokenizer = new Tokenizer(
      inHtml,
      {
        onStartTag: (tag) => this.#open(tag),
        onEndTag: (name) => this.#close(name),
        onText: (text) => this.#addText(text),
      },
      { longestValue: longestUrl },
    );
  }

  write(text: string): void {
    this.#tokenizer.write(text);
    if (this.#undecided.length > 0 && this.#encoding() !== null) this.#decide();
  }

  end(): void {
    this.#tokenizer.end();
    // Determining the encoding may be costly, so it is done only if something waits for it.
    if (this.#undecided.length > 0) this.#decide();
  }

  #open(tag: StartTag): void {
    const { name } = tag;
    const namespace = this.#elements.open(tag);
    this.#follow();
    if (namespace === 'svg') {
      this.#note(tag, svgRules[name]?.(tag, this.#page) ?? nothing);
    } else if (namespace === 'html') {
      const isRaw = name === 'noscript' && this.#settings.scripting;
      const wantsText = name === 'script' && this.#startsInline(tag);
      this.#tokenizer.switchTo(isRaw ? 'rawtext' : contentModelOf(name), wantsText);
      this.#note(tag, this.#read(tag));
    }
  }

  #close(name: string): void {
    this.#elements.close(name);
    this.#follow();
    if (name === 'script') this.#endInline();
    else if (name === 'picture') this.#picture = null;
    else if (name === 'video' || name === 'audio') this.#media = null;
  }

  /** In foreign content each tag matters, and CDATA sections are text. */
  #follow(): void {
    this.#tokenizer.want(this.#elements.hasForeign ? inForeign : inHtml);
    this.#tokenizer.isCdataAllowed = this.#elements.isForeign;
  }

  #read(tag: StartTag): readonly Found[] {
    const { name, attributes } = tag;
    switch (name) {
      case 'base':
        this.#rebaseBy(attributes.get('href'));
        return nothing;
      case 'meta':
        this.#readMeta(attributes);
        return nothing;
      case 'picture':
        this.#picture = new Picture();
        return nothing;
      case 'img':
      case 'image': {
        const results = img(tag, this.#page, this.#picture);
        if (!this.#elements.isInert && results.length > 0) this.#page.images++;
        return results;
      }
      case 'source':
        if (this.#media !== null) return mediaSource(tag, this.#media, this.#page);
        return this.#picture?.source(tag, this.#page) ?? nothing;
      case 'video':
      case 'audio':
        this.#media = attributes.has('src') ? null : tag;
        break;
    }
    return htmlRules[name]?.(tag, this.#page) ?? nothing;
  }

  /** @returns Whether the text of the script counts */
  #startsInline(tag: StartTag): boolean {
    const type = this.#settings.scripting && !this.#elements.isInert ? inlineTypeOf(tag) : null;
    this.#inline = type === null ? null : { type, tag, text: '' };
    return type !== null;
  }

  #addText(text: string): void {
    if (this.#inline !== null && this.#inline.text.length < longestInline)
      this.#inline.text += text;
  }

  #endInline(): void {
    const inline = this.#inline;
    this.#inline = null;
    if (inline === null) return;
    if (inline.type === 'module') this.#note(inline.tag, inlineImports(inline.text, inline.tag));
    else this.#after({ map: inline.text });
  }

  #readMeta(attributes: StartTag['attributes']): void {
    if (this.#elements.isInert || this.#elements.isInShadowRoot) return;
    const content = attributes.get('content') ?? '';
    if (attributes.get('name')?.toLowerCase() === 'referrer') {
      this.#policy = metaReferrerPolicy(content) ?? this.#policy;
    }
    const directive = attributes.get('http-equiv')?.toLowerCase();
    if (directive === 'content-security-policy') this.#after({ policy: content });
  }

  #rebaseBy(href: string | undefined): void {
    if (href === undefined || this.#elements.isInert || this.#elements.isInShadowRoot) return;
    this.#after({ base: href });
  }

  /** Behind the references that wait. */
  #after(step: Step): void {
    if (this.#undecided.length > 0) this.#undecided.push(step);
    else this.#do(step);
  }

  #do(step: Step): void {
    if ('base' in step) this.#rebase(step.base);
    else if ('map' in step) this.importMap.add(step.map, this.#base);
    else this.#contentSecurity.add(step.policy);
  }

  #rebase(href: string): void {
    if (this.#baseSeen) return;
    this.#baseSeen = true;
    // In UTF-8, as in Chromium; HTML 4.2.3 uses the document's encoding.
    const url = URL.parse(href, this.#base.href);
    // data: and javascript: URLs are not a base; any other URL is, even if it cannot be fetched (HTML 4.2.3).
    if (url !== null && url.protocol !== 'data:' && url.protocol !== 'javascript:')
      this.#base = url;
  }

  #note({ name, offset }: StartTag, results: readonly Found[]): void {
    for (const result of results) {
      if (result.written.trim() === '') continue; // refers to no resource (HTML 4.8.4.3)
      const noted: Noted = Object.assign(result, { from: `${name} ${result.attribute}`, offset });
      if (this.#elements.isInert) noted.skipped ??= 'inside a template';
      if (this.#policy !== null) noted.referrerPolicy ??= this.#policy;
      const depends = noted.isSpecifier === undefined && dependsOnEncoding(noted.written);
      const encoding = depends ? this.#encoding() : 'utf-8'; // any encoding will do if none matters
      if (encoding === null || this.#undecided.length > 0) this.#undecided.push(noted);
      else this.#tell(noted, encoding);
    }
  }

  #decide(): void {
    const encoding = this.#encoding() ?? 'windows-1252';
    for (const noted of this.#undecided.splice(0)) {
      if ('written' in noted) this.#tell(noted, encoding);
      else this.#do(noted);
    }
  }

  #tell(noted: Noted, encoding: string): void {
    const { written, isSpecifier, kind, from, offset } = noted;
    const { onReference, onSkipped } = this.#handlers;
    if (noted.skipped !== undefined && onSkipped === undefined) return;
    const target = isSpecifier ? this.importMap.resolve(written, this.#base) : written;
    const url = target === null ? null : resolveReference(target, this.#base, encoding);
    const forbidden = url && this.#contentSecurity.forbids(kind, url, noted.nonce);
    const skipped = noted.skipped ?? (forbidden && `the page's policy forbids it: ${forbidden}`);
    if (skipped || url === null) {
      const told: Skipped = {
        url: url ?? written,
        kind,
        from,
        offset,
        why: skipped || 'not an http URL',
      };
      onSkipped?.(told);
      return;
    }
    onReference(referenceTo(url, noted, from, offset));
  }
}
