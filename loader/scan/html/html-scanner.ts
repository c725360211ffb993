// Finds what a browser would fetch for an HTML document, in any chunking, each reference as soon as its tag is
// complete. Of the tree it tracks only what decides about a reference (open-elements.ts), and for style sheets the
// elements themselves (page-tree.ts). The depth of nesting is limited.

import type { CssSheet } from '../css/css-sheet.ts';
import { mayMatter } from '../css/style-rule.ts';
import type { ReferencePlace, ScanContext } from '../page-context.ts';
import { dependsOnEncoding } from '../query-encoding.ts';
import { metaReferrerPolicy, type ReferrerPolicy } from '../referrer-policy.ts';
import { matchesMedia } from '../style/media-query.ts';
import { type StartTag, Tokenizer } from '../tokenizer.ts';
import { frame, MediaSources, media, track } from './embedded.ts';
import { type ElementRule, essenceOf, type Found, nothing, type PageState } from './found.ts';
import { background, img, input, OpenPicture, svgImage } from './images.ts';
import { type IconLink, Icons, isOfSet, link, refresh } from './links.ts';
import { OpenElements } from './open-elements.ts';
import { hidesText, type PageElement, type PageTree, setOf, treeOf } from './page-tree.ts';
import { foundInModule, inlineModule, inlineTypeOf, script, svgScript } from './scripts.ts';

/** Chromium's longest URL, characters. */
const longestUrl = 2 * 1024 * 1024;

/** Longest inline script that is read, characters. */
const longestInline = 1024 * 1024;

/** The srcdoc attribute that contains the document; null: the document is a resource of its own. */
type Outer = { depth: number; offset: number } | null;

export class HtmlScanner {
  readonly #tokenizer: Tokenizer;
  readonly #context: ScanContext;
  readonly #encoding: () => string | null;
  readonly #outer: Outer;
  readonly #elements = new OpenElements();
  /** The tree of the page's elements; null until the first style is seen, because only styles need it. */
  #tree: PageTree | null = null;
  /** The text of the document before its first style, from which `#tree` is built when that is seen. */
  #unstyled = '';
  readonly #page: PageState & { images: number };
  readonly #initiator: string;
  /** References that wait until the encoding is known, in order: the first that depends on it, and all that follow. */
  readonly #undecided: Array<[Found, Omit<ReferencePlace, 'encoding'>]> = [];
  #base: URL;
  #baseSeen = false;
  /** The referrer policy of the last <meta name=referrer>; null: there is none. */
  #policy: ReferrerPolicy | null = null;
  #picture: OpenPicture | null = null;
  #media: MediaSources | null = null;
  readonly #icons = new Icons();
  /** The open inline script whose text is read; null: there is none. */
  #inline: { type: 'module' | 'importmap'; tag: StartTag; text: string } | null = null;
  /** Reader of the open style element whose rules apply; null: there is none. */
  #sheet: CssSheet | null = null;
  /** Name of the open element whose text is not shown; null: there is none. */
  #hidesText: string | null = null;
  /** Whether a tag or text that cannot be in the head has been seen. */
  #isInBody = false;
  #isAfterHead = false;

  /**
   * @param base URL of the document; `<base href>` replaces it for what follows.
   * @param encoding Returns the document's encoding by name; null: it is not known yet.
   */
  constructor(base: URL, context: ScanContext, encoding: () => string | null, outer: Outer = null) {
    const { settings } = context;
    this.#base = base;
    this.#initiator = base.href;
    this.#context = context;
    this.#encoding = encoding;
    this.#outer = outer;
    context.tree = () => this.#tree ?? this.#plant(this.#unstyled.length);
    this.#page = {
      settings,
      images: 0,
      sheetSet: '',
      matches: (media) => matchesMedia(media, settings.screen),
    };
    this.#tokenizer = new Tokenizer({
      onStartTag: (tag) => this.#open(tag),
      onEndTag: (name) => this.#close(name),
      onText: (text) => this.#addText(text),
      isForeign: () => this.#elements.isForeign,
    });
  }

  write(text: string): void {
    if (this.#tree === null) this.#unstyled += text;
    else this.#tree.addCharacters(text);
    this.#tokenizer.write(text);
    if (this.#encoding() !== null) this.#reportUndecided();
  }

  end(): void {
    this.#tokenizer.end();
    this.#endSheet();
    if (this.#page.settings.also.includes('icons')) {
      for (const { found, place } of this.#icons.choose()) this.#noteAt(place, found);
    }
    this.#tree?.end();
    this.#reportUndecided();
    this.#context.styles.update();
  }

  #open(tag: StartTag): void {
    const { name } = tag;
    const namespace = this.#elements.open(tag);
    if (!this.#elements.isInert) this.#grow(tag, namespace !== 'html');
    if (!this.#isInBody) {
      const isOfBody = !mayBeInHead.has(name) || (name === 'noscript' && this.#isAfterHead);
      if (isOfBody) this.#startBody();
    }
    if (namespace === 'math') return;
    if (name === 'style' && !(namespace === 'svg' && tag.isSelfClosing)) this.#startSheet(tag);
    if (namespace === 'svg') this.#note(tag, svgRules.get(name)?.(tag, this.#page) ?? nothing);
    else {
      if (hidesText.has(name)) this.#hidesText = name;
      if (name === 'script') this.#startInline(tag);
      this.#note(tag, this.#read(tag));
    }
  }

  #close(name: string): void {
    if (!this.#elements.isInert) this.#tree?.close(name);
    this.#elements.close(name);
    if (startsBodyAtItsEnd.has(name)) this.#startBody();
    this.#isAfterHead ||= name === 'head';
    if (name === this.#hidesText) this.#hidesText = null;
    if (name === 'script') this.#endInline();
    else if (name === 'style') this.#endSheet();
    else if (this.#elements.isInert) return;
    else if (name === 'picture') this.#picture = null;
    else if (name === 'video' || name === 'audio') this.#media = null;
  }

  /** Records that the body has begun, unless a template (inert, or a shadow root) is open, which may be in the head. */
  #startBody(): void {
    if (!this.#elements.isInShadowRoot) this.#isInBody = true;
  }

  #read(tag: StartTag): readonly Found[] {
    const { name, attributes } = tag;
    const { isInert } = this.#elements;
    switch (name) {
      case 'base':
        this.#rebase(attributes.get('href'));
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
        return this.#withoutIcons(tag, link(tag, this.#sheetPage));
      case 'iframe':
        this.#readInner(tag);
        break;
      case 'video':
      case 'audio':
        if (!isInert) this.#media = attributes.has('src') ? null : new MediaSources(tag);
        break;
    }
    return htmlRules.get(name)?.(tag, this.#page) ?? nothing;
  }

  /** Keeps a link to an icon out of the results, because the page's icon is chosen among all at the end. */
  #withoutIcons(tag: StartTag, results: readonly Found[]): readonly Found[] {
    const [found] = results;
    const isCandidate = found?.kind === 'icon' && found.skipped === undefined;
    if (!isCandidate || this.#elements.isInert) return results;
    const { name, attributes } = tag;
    const isVector = essenceOf(attributes.get('type')) === 'image/svg+xml';
    const place = { name, offset: tag.offset };
    this.#icons.add({ found, place, sizes: attributes.get('sizes') ?? '', isVector });
    return nothing;
  }

  /** Reads the document of an iframe with a srcdoc attribute. */
  #readInner(tag: StartTag): void {
    const srcdoc = tag.attributes.get('srcdoc');
    const outer = { depth: 1 + (this.#outer?.depth ?? 0), offset: tag.offset };
    const isRead = this.#page.settings.also.includes('frames') && !this.#elements.isInert;
    if (srcdoc === undefined || !isRead || outer.depth > deepest) return;
    const context = this.#context.inner(this.#base);
    const scanner = new HtmlScanner(this.#base, context, () => 'utf-8', outer);
    scanner.write(srcdoc);
    scanner.end();
  }

  #startInline(tag: StartTag): void {
    const isRun = !this.#elements.isInert && this.#allowsInline('script', tag);
    const type = isRun ? inlineTypeOf(tag) : null;
    this.#inline = type === null ? null : { type, tag, text: '' };
  }

  #addText(text: string): void {
    if (this.#inline !== null) {
      if (this.#inline.text.length < longestInline) this.#inline.text += text;
    } else if (this.#sheet !== null && (this.#hidesText ?? 'style') === 'style') {
      this.#sheet.write(text);
    } else if (this.#hidesText === null) {
      if (!this.#isInBody && /[^\t\n\f\r ]/.test(text)) this.#startBody();
      if (!this.#elements.isInert) this.#tree?.text(text);
    }
  }

  #endInline(): void {
    const inline = this.#inline;
    this.#inline = null;
    if (inline === null) return;
    if (inline.type === 'module')
      this.#note(inline.tag, foundInModule(inline.text, inlineModule(inline.tag)));
    else this.#context.importMap.add(inline.text, this.#base);
  }

  /** Adds the tag's element to the tree, which is built only when the first tag with style is seen. */
  #grow(tag: StartTag, isForeign: boolean): void {
    if (this.#tree === null && hasStyle(tag, isForeign)) this.#plant(tag.offset);
    const element = this.#tree?.open(tag, isForeign);
    if (element) this.#readAttributes(element, tag);
  }

  /** Builds the tree of the page so far from its text, which is short: the first style is usually in the head. */
  #plant(length: number): PageTree {
    const text = this.#unstyled;
    this.#unstyled = '';
    const read = (element: PageElement, tag: StartTag) => this.#readAttributes(element, tag);
    this.#tree = treeOf(text.slice(0, length), read);
    this.#tree.addCharacters(text.slice(length));
    return this.#tree;
  }

  #readAttributes(element: PageElement, tag: StartTag): void {
    const read = (attribute: string, declarations: string, isPresentation: boolean) =>
      this.#context.styles.attribute(element, declarations, isPresentation, (found) =>
        this.#noteAt(tag, { ...found, named: attribute, attribute }),
      );
    const style = tag.attributes.get('style');
    const counts = style !== undefined && mayMatter.test(style);
    if (counts && this.#allowsInline('style attribute', tag)) read('style', style, false);
    if (!element.isForeign) return;
    for (const name of presentationAttributes) {
      const value = tag.attributes.get(name);
      if (value !== undefined) read(name, `${name}:${value}`, true);
    }
  }

  #allowsInline(kind: 'script' | 'style' | 'style attribute', { attributes }: StartTag): boolean {
    return this.#context.contentSecurity.allowsInline(kind, attributes.get('nonce'));
  }

  /** The state for a style sheet: in a template or shadow tree its title turns off no other sheet (CSSOM 1, 6.2). */
  get #sheetPage(): PageState {
    const isApart = this.#elements.isInert || this.#elements.isInShadowRoot;
    return isApart ? { ...this.#page, sheetSet: '' } : this.#page;
  }

  /** Begins to read a style element, if its rules apply. */
  #startSheet(tag: StartTag): void {
    const { attributes } = tag;
    const type = essenceOf(attributes.get('type'));
    if ((type !== '' && type !== 'text/css') || this.#elements.isInert) return;
    const applies =
      isOfSet(tag, this.#sheetPage) && this.#page.matches(attributes.get('media') ?? '');
    if (!applies || !this.#allowsInline('style', tag)) return;
    const { styles, sheets } = this.#context;
    this.#sheet = styles.sheet((found) => this.#noteAt(tag, found), sheets.next());
  }

  #endSheet(): void {
    this.#sheet?.end();
    this.#sheet = null;
  }

  #readMeta(tag: StartTag): void {
    const { attributes } = tag;
    if (this.#elements.isInert || this.#elements.isInShadowRoot) return;
    const content = attributes.get('content') ?? '';
    const name = attributes.get('name')?.toLowerCase();
    if (name === 'referrer') this.#policy = metaReferrerPolicy(content) ?? this.#policy;
    else if (name === 'viewport') this.#context.layOut(content);
    const directive = attributes.get('http-equiv')?.toLowerCase();
    // A Content Security Policy in a <meta> after the head has no effect (HTML 4.2.5.3).
    if (directive === 'content-security-policy' && !this.#isInBody)
      this.#context.contentSecurity.add(content);
    else if (directive === 'default-style') this.#page.sheetSet ||= content;
    else if (directive === 'refresh') this.#note(tag, refresh(content, tag));
  }

  #rebase(href: string | undefined): void {
    if (href === undefined || this.#elements.isInert || this.#elements.isInShadowRoot) return;
    if (this.#baseSeen) return;
    this.#baseSeen = true;
    // The query of a base URL is in UTF-8, as in Chromium; HTML 4.2.3 uses the document's encoding.
    const url = URL.parse(href, this.#base.href);
    // data: and javascript: URLs are not a base; any other URL is, even if it cannot be fetched (HTML 4.2.3).
    if (url === null || url.protocol === 'data:' || url.protocol === 'javascript:') return;
    if (this.#context.contentSecurity.allowsBase(url)) this.#base = url;
  }

  #note(tag: StartTag, results: readonly Found[]): void {
    for (const found of results) this.#noteAt(tag, found);
  }

  #noteAt({ name, offset }: IconLink['place'], found: Found): void {
    const { length } = found.written.trim();
    // An empty URL refers to no resource (HTML 4.8.4.3).
    if (length === 0 || length > longestUrl) return;
    if (this.#elements.isInert) found.skipped ??= 'inside a template';
    if (this.#policy !== null) found.referrerPolicy ??= this.#policy;
    const place = {
      initiator: this.#initiator,
      from: `${name} ${found.named}`,
      offset: this.#outer?.offset ?? offset,
      base: this.#base,
    };
    const depends = found.isSpecifier === undefined && dependsOnEncoding(found.written);
    const encoding = this.#encoding();
    const waits = this.#undecided.length > 0 || (encoding === null && depends);
    if (waits) this.#undecided.push([found, place]);
    else this.#context.report(found, { ...place, encoding: encoding ?? 'windows-1252' });
  }

  #reportUndecided(): void {
    for (const [found, place] of this.#undecided.splice(0)) {
      this.#context.report(found, { ...place, encoding: this.#encoding() ?? 'windows-1252' });
    }
  }
}

/** By tag name, the functions that read those elements for which the open elements around them do not matter. */
const htmlRules = new Map<string, ElementRule>([
  ...Object.entries({ script, input, track, video: media, audio: media }),
  ...['iframe', 'frame', 'embed', 'object'].map((name) => [name, frame] as const),
  ...'body table thead tbody tfoot tr td th'.split(' ').map((name) => [name, background] as const),
]);
const svgRules = new Map<string, ElementRule>(
  Object.entries({ script: svgScript, image: svgImage, feimage: svgImage, use: svgImage }),
);

/** Tags that may be in the head (HTML 13.2.6.4.4 and 13.2.6.4.6). */
const mayBeInHead = setOf(
  'html head base basefont bgsound link meta noframes noscript script style template title',
);
const startsBodyAtItsEnd = new Set(['body', 'html', 'br']);

/** Whether the tag has style, or may have it. Until the first such tag no tree of elements is needed. */
function hasStyle({ name, attributes }: StartTag, isForeign: boolean): boolean {
  if (name === 'style') return true;
  if (name === 'link') return /stylesheet/i.test(attributes.get('rel') ?? '');
  return isForeign || attributes.has('style');
}

/** Attributes of SVG that stand for properties that refer to resources or decide about boxes and fonts (SVG 2, 6.6). */
const presentationAttributes =
  'clip-path cursor display fill filter font-family font-style font-weight marker-end marker-mid marker-start mask stroke'.split(
    ' ',
  );

/** Limit on the depth of documents nested in srcdoc attributes. */
const deepest = 8;
