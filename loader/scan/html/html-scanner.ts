// Finds what a browser would fetch for an HTML document, in any chunking, each reference as soon as its tag is
// complete. Of the tree it tracks only what decides about a reference (open-elements.ts), and for style sheets the
// elements themselves (page-tree.ts). The depth of nesting is limited.

import type { CssSheet } from '../css/css-sheet.ts';
import type { CssFound } from '../css/found.ts';
import type { ScanContext } from '../page-context.ts';
import { dependsOnEncoding } from '../query-encoding.ts';
import { metaReferrerPolicy, type ReferrerPolicy } from '../referrer-policy.ts';
import { matchesMedia } from '../style/matches-media.ts';
import { contentModelOf } from '../tokens/content-model.ts';
import { type StartTag, Tokenizer } from '../tokens/tokenizer.ts';
import { MediaSources } from './embedded.ts';
import { essenceOf, type Found, nothing, type PageState } from './found.ts';
import { Icons } from './icons.ts';
import { img, OpenPicture } from './images.ts';
import { link, refresh } from './links.ts';
import { MarkupText } from './markup-text.ts';
import { OpenElements } from './open-elements.ts';
import { PageTree } from './page-tree.ts';
import { htmlRules, svgRules, wantedAttributes } from './rules.ts';
import { foundInModule, inlineModule, inlineTypeOf } from './scripts.ts';
import { foundInStyle } from './style.ts';

/** Chromium's longest URL, bytes. */
const longestUrl = 2 * 1024 * 1024;

/** Most characters of an inline script that are read. */
const longestInline = 1024 * 1024;

/** A reference as written, with its position. */
interface Noted {
  found: Found;
  from: string;
  offset: number;
}

/** A tag: its name, and its offset in bytes. */
interface TagPlace {
  name: string;
  offset: number;
}

/** Properties of the document's text that the scanner needs. */
export interface TextSource {
  /** Name of the encoding; null: it is not known yet. */
  encoding(): string | null;
  /** Offset of a tag in bytes, from its offset in characters. Must be called in the order of tags. */
  byteOffset(offset: number): number;
}

/** A change in the meaning of later references: a base, an import map, or a Content Security Policy. */
type Step = { base: string } | { map: string } | { policy: string };

export class HtmlScanner {
  readonly #tokenizer: Tokenizer;
  readonly #context: ScanContext;
  readonly #text: TextSource;
  readonly #depth: number;
  readonly #elements = new OpenElements();
  /** null: style sheets do not matter. */
  readonly #tree: PageTree | null;
  readonly #page: PageState & { images: number };
  readonly #initiator: string;
  /** References and steps in order, from the first that depends on the encoding while that is unknown. */
  #undecided: Array<Noted | Step> = [];
  #base: URL;
  /** Offset of the last tag, in characters; -1: there was none. */
  #lastTag = -1;
  #baseSeen = false;
  /** The policy of the last <meta name=referrer>; null: there is none. */
  #policy: ReferrerPolicy | null = null;
  #picture: OpenPicture | null = null;
  #media: MediaSources | null = null;
  readonly #icons = new Icons();
  /** The open inline script whose text is read; null: there is none. */
  #inline: { type: 'module' | 'importmap'; tag: StartTag; text: string } | null = null;
  /** Reader of the open style element whose rules apply; null: there is none. */
  #sheet: CssSheet | null = null;
  /** The open style element is in SVG, where its text is read as markup. */
  #isSvgSheet = false;
  readonly #markupText = new MarkupText();
  /** A tag or text has been seen that cannot be in the head. Until then every tag is checked. */
  #isInBody = false;
  #isAfterHead = false;

  /**
   * @param base URL of the document; `<base href>` replaces it for what follows.
   */
  constructor(base: URL, context: ScanContext, text: TextSource, depth = 0) {
    const { settings } = context;
    this.#base = base;
    this.#initiator = base.href;
    this.#context = context;
    this.#text = text;
    this.#depth = depth;
    this.#tree = context.tree && new PageTree();
    context.tree = this.#tree;
    this.#page = {
      settings,
      images: 0,
      matches: (media) => matchesMedia(media, settings.screen),
    };
    this.#tokenizer = new Tokenizer(
      {
        onStartTag: (tag) => this.#open(tag),
        onEndTag: (name) => this.#close(name),
        onText: (text) => this.#addText(text),
        onWords: (text, isCdata) => this.#addWords(text, isCdata),
      },
      { attributes: this.#tree === null ? wantedAttributes : null, longestValue: longestUrl },
    );
  }

  write(text: string): void {
    this.#tokenizer.write(text);
    this.#tree?.characters.add(text);
    this.#text.byteOffset(this.#lastTag);
    if (this.#undecided.length > 0 && this.#text.encoding() !== null) this.#decide();
  }

  end(): void {
    this.#tokenizer.end();
    this.#endSheet();
    if (this.#page.settings.icons) {
      for (const { found, place } of this.#icons.choose()) this.#noteAt(place, found);
    }
    this.#tree?.end();
    this.#context.updateAtEnd();
    // Determining the encoding may be costly, so it is done only if a reference waits for it.
    if (this.#undecided.length > 0) this.#decide();
  }

  #open(tag: StartTag): void {
    const { name } = tag;
    this.#lastTag = tag.offset;
    const namespace = this.#elements.open(tag);
    if (this.#tree !== null && !this.#elements.isInert) {
      this.#grow(tag, this.#tree, namespace !== 'html');
    }
    const isOfBody = !mayBeInHead.has(name) || (name === 'noscript' && this.#isAfterHead);
    if (isOfBody && !this.#isInBody) this.#startBody();
    if (namespace === 'svg') {
      if (name === 'style' && !tag.isSelfClosing) this.#isSvgSheet = this.#startsSheet(tag);
      this.#note(tag, svgRules[name]?.(tag, this.#page) ?? nothing);
    } else if (namespace === 'html') {
      const isRaw = name === 'noscript'; // as where scripts run
      const wantsText =
        name === 'script' ? this.#startsInline(tag) : name === 'style' && this.#startsSheet(tag);
      this.#tokenizer.switchTo(isRaw ? 'rawtext' : contentModelOf(name), wantsText);
      this.#note(tag, this.#read(tag));
    }
    this.#follow();
  }

  #close(name: string): void {
    if (!this.#elements.isInert) this.#tree?.close(name);
    this.#elements.close(name);
    if (startsBodyAtItsEnd.has(name)) this.#startBody();
    this.#isAfterHead ||= name === 'head';
    this.#follow();
    if (name === 'script') this.#endInline();
    else if (name === 'style') this.#endSheet();
    else if (this.#elements.isInert) return;
    else if (name === 'picture') this.#picture = null;
    else if (name === 'video' || name === 'audio') this.#media = null;
  }

  /** Records that the body has begun, unless a template is open: its content has no place in the document. */
  #startBody(): void {
    if (!this.#elements.isInShadowRoot) this.#isInBody = true;
  }

  /** Called after each tag to adapt the tokenizer: in foreign content CDATA sections are text. */
  #follow(): void {
    const wantsAll = this.#isSvgSheet || this.#tree !== null;
    this.#tokenizer.wantsText = wantsAll ? 'all' : this.#isInBody ? 'none' : 'words';
    this.#tokenizer.isCdataAllowed = this.#elements.isForeign;
  }

  #read(tag: StartTag): readonly Found[] {
    const { name, attributes } = tag;
    const { isInert } = this.#elements;
    switch (name) {
      case 'base':
        this.#rebaseBy(attributes.get('href'));
        return nothing;
      case 'meta':
        this.#readMeta(tag);
        return nothing;
      case 'picture':
        if (!isInert) this.#picture = new OpenPicture();
        return nothing;
      case 'img':
      case 'image': {
        const results = img(tag, this.#page, isInert ? null : this.#picture);
        if (!isInert && results.length > 0) this.#page.images++;
        return results;
      }
      case 'source':
        if (isInert) return nothing;
        if (this.#media !== null) return this.#media.source(tag, this.#page);
        return this.#picture?.source(tag, this.#page) ?? nothing;
      case 'link':
        return this.#withoutIcons(tag, link(tag, this.#page));
      case 'iframe':
        this.#readInner(tag);
        break;
      case 'video':
      case 'audio':
        if (!isInert) this.#media = attributes.has('src') ? null : new MediaSources(tag);
        break;
    }
    return htmlRules[name]?.(tag, this.#page) ?? nothing;
  }

  /** Sets aside a candidate for the page's icon, because the choice is made at the end. */
  #withoutIcons(tag: StartTag, results: readonly Found[]): readonly Found[] {
    const [found] = results;
    const isCandidate = found?.kind === 'icon' && found.skipped === undefined;
    if (!isCandidate || this.#elements.isInert) return results;
    const { name, attributes } = tag;
    const isVector = essenceOf(attributes.get('type')) === 'image/svg+xml';
    const place = { name, offset: this.#text.byteOffset(tag.offset) };
    this.#icons.add({ found, place, sizes: attributes.get('sizes') ?? '', isVector });
    return nothing;
  }

  /** Reads the document of an iframe with a srcdoc attribute. */
  #readInner(tag: StartTag): void {
    const { srcdoc } = Object.fromEntries(tag.attributes);
    if (srcdoc === undefined || !this.#page.settings.frames || this.#elements.isInert) return;
    if (this.#depth >= deepest) return;
    const offset = this.#text.byteOffset(tag.offset);
    const text = { encoding: () => 'utf-8', byteOffset: () => offset };
    const context = this.#context.inner(this.#base);
    const scanner = new HtmlScanner(this.#base, context, text, this.#depth + 1);
    scanner.write(srcdoc);
    scanner.end();
  }

  /** @returns Whether the text of the script is read */
  #startsInline(tag: StartTag): boolean {
    const isRun = !this.#elements.isInert && this.#allowsInline('script', tag);
    const type = isRun ? inlineTypeOf(tag) : null;
    this.#inline = type === null ? null : { type, tag, text: '' };
    return type !== null;
  }

  #addText(text: string): void {
    this.#sheet?.write(text);
    if (this.#inline !== null && this.#inline.text.length < longestInline)
      this.#inline.text += text;
  }

  #endInline(): void {
    const inline = this.#inline;
    this.#inline = null;
    if (inline === null) return;
    if (inline.type === 'module')
      this.#note(inline.tag, foundInModule(inline.text, inlineModule(inline.tag)));
    else this.#after({ map: inline.text });
  }

  #addWords(text: string, isCdata: boolean): void {
    if (this.#isSvgSheet) {
      this.#sheet?.write(
        isCdata
          ? this.#markupText.end() + text
          : this.#markupText.decoded(text, this.#tokenizer.textRun),
      );
      return;
    }
    if (!this.#isInBody && /[^\t\n\f\r ]/.test(text)) {
      this.#startBody();
      this.#follow();
    }
    if (!this.#elements.isInert) this.#tree?.text(text);
  }

  #grow(tag: StartTag, tree: PageTree, isForeign: boolean): void {
    const element = tree.open(tag, isForeign);
    if (element === null) return;
    const place = { name: tag.name, offset: this.#text.byteOffset(tag.offset) };
    const tell = (attribute: string) => (item: CssFound) =>
      this.#noteAt(place, foundInStyle(item, attribute));
    const style = tag.attributes.get('style');
    const counts = style !== undefined && matters.test(style);
    if (counts && this.#allowsInline('style attribute', tag)) {
      this.#context.styles.attribute(element, style, false, tell('style'));
    }
    for (const name of isForeign ? presentationAttributes : []) {
      const value = tag.attributes.get(name);
      if (value !== undefined)
        this.#context.styles.attribute(element, `${name}:${value}`, true, tell(name));
    }
  }

  #allowsInline(kind: 'script' | 'style' | 'style attribute', { attributes }: StartTag): boolean {
    return this.#context.contentSecurity.allowsInline(kind, attributes.get('nonce'));
  }

  /** @returns Whether the rules of the element apply */
  #startsSheet(tag: StartTag): boolean {
    const { attributes } = tag;
    const type = essenceOf(attributes.get('type'));
    const isSheet = type === '' || type === 'text/css';
    const applies = isSheet && this.#page.matches(attributes.get('media') ?? '');
    if (!applies || this.#elements.isInert || this.#tree === null) return false;
    if (!this.#allowsInline('style', tag)) return false;
    const place = { name: tag.name, offset: this.#text.byteOffset(tag.offset) };
    this.#sheet = this.#context.styles.sheet(
      (item) => this.#noteAt(place, foundInStyle(item)),
      this.#context.sheets.next(),
    );
    return true;
  }

  #endSheet(): void {
    if (this.#sheet === null) return;
    if (this.#isSvgSheet) this.#sheet.write(this.#markupText.end());
    this.#sheet.end();
    this.#sheet = null;
    this.#isSvgSheet = false;
    this.#follow();
  }

  #readMeta(tag: StartTag): void {
    const { attributes } = tag;
    if (this.#elements.isInert || this.#elements.isInShadowRoot) return;
    const content = attributes.get('content') ?? '';
    const name = attributes.get('name')?.toLowerCase();
    if (name === 'referrer') this.#policy = metaReferrerPolicy(content) ?? this.#policy;
    else if (name === 'viewport') this.#context.layOut(content);
    const directive = attributes.get('http-equiv')?.toLowerCase();
    // A policy in a <meta> after the head has no effect (HTML 4.2.5.3).
    if (directive === 'content-security-policy' && !this.#isInBody)
      this.#after({ policy: content });
    else if (directive === 'refresh') this.#note(tag, refresh(content, tag));
  }

  #rebaseBy(href: string | undefined): void {
    if (href === undefined || this.#elements.isInert || this.#elements.isInShadowRoot) return;
    this.#after({ base: href });
  }

  /** Takes a step after the references that wait for the encoding. */
  #after(step: Step): void {
    if (this.#undecided.length > 0) this.#undecided.push(step);
    else this.#do(step);
  }

  #do(step: Step): void {
    if ('base' in step) this.#rebase(step.base);
    else if ('map' in step) this.#context.importMap.add(step.map, this.#base);
    else this.#context.contentSecurity.add(step.policy);
  }

  #rebase(href: string): void {
    if (this.#baseSeen) return;
    this.#baseSeen = true;
    // The query is in UTF-8, as in Chromium; HTML 4.2.3 uses the document's encoding.
    const url = URL.parse(href, this.#base.href);
    // data: and javascript: URLs are not a base; any other URL is, even if it cannot be fetched (HTML 4.2.3).
    if (url === null || url.protocol === 'data:' || url.protocol === 'javascript:') return;
    if (this.#context.contentSecurity.allowsBase(url)) this.#base = url;
  }

  #note({ name, offset }: StartTag, results: readonly Found[]): void {
    if (results.length === 0) return;
    const place = { name, offset: this.#text.byteOffset(offset) };
    for (const found of results) this.#noteAt(place, found);
  }

  #noteAt({ name, offset }: TagPlace, found: Found): void {
    if (found.written.trim() === '') return; // an empty URL refers to no resource (HTML 4.8.4.3)
    if (this.#elements.isInert) found.skipped ??= 'inside a template';
    if (this.#policy !== null) found.referrerPolicy ??= this.#policy;
    const noted: Noted = { found, from: `${name} ${found.named}`, offset };
    const depends = found.isSpecifier === undefined && dependsOnEncoding(found.written);
    const encoding = depends ? this.#text.encoding() : 'utf-8'; // any name will do if it does not matter
    if (encoding === null || this.#undecided.length > 0) this.#undecided.push(noted);
    else this.#report(noted, encoding);
  }

  #decide(): void {
    const encoding = this.#text.encoding() ?? 'windows-1252';
    for (const noted of this.#undecided.splice(0)) {
      if ('found' in noted) this.#report(noted, encoding);
      else this.#do(noted);
    }
  }

  #report({ found, from, offset }: Noted, encoding: string): void {
    const initiator = this.#initiator;
    this.#context.report(found, { initiator, from, offset, base: this.#base, encoding });
  }
}

/** Tags that may be in the head (HTML 13.2.6.4.4 and 13.2.6.4.6). */
const mayBeInHead = new Set(
  'html head base basefont bgsound link meta noframes noscript script style template title'.split(
    ' ',
  ),
);
const startsBodyAtItsEnd = new Set(['body', 'html', 'br']);

/** A style attribute that refers to something, or decides about boxes and fonts. */
const matters = /[(\\]|--|font|display|content/i;
/** Attributes of SVG that stand for properties which refer to something or decide about boxes and fonts (SVG 2, 6.6). */
const presentationAttributes =
  'clip-path cursor display fill filter font-family font-style font-weight marker-end marker-mid marker-start mask stroke'.split(
    ' ',
  );

/** Most documents nested in srcdoc attributes. */
const deepest = 8;
