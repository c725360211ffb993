// What a scanner must know about the tree: whether a tag is in foreign content (SVG, MathML), where other rules apply,
// or in a template, whose content is not fetched. Foreign elements are kept on a stack; HTML elements are not, because
// their end tags change nothing here, except inside foreign content that was not closed.

import type { StartTag } from '../tokenizer.ts';

export type Namespace = 'html' | 'svg' | 'math';

interface ForeignElement {
  name: string;
  namespace: 'svg' | 'math';
  /** Whether the element's content is HTML (HTML 13.2.6, "HTML integration point", "MathML text integration point"). */
  hasHtml: boolean;
}

/** Deepest nesting of foreign elements that is tracked; deeper elements count as closed at once. */
const deepest = 1024;

const svgIntegrationPoints = new Set(['foreignobject', 'desc', 'title']);
const mathTextIntegrationPoints = new Set(['mi', 'mo', 'mn', 'ms', 'mtext']);
const staysInMathText = new Set(['mglyph', 'malignmark']);

/** HTML elements that end foreign content (HTML 13.2.6.5). */
const breaksOut = new Set(
  [
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta',
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var',
  ].flatMap((names) => names.split(' ')),
);

/**
 * HTML elements whose end tag ends foreign content inside them. Such an element is assumed to be open, as open HTML
 * elements are not tracked.
 */
const closesContent = new Set([
  ...[...breaksOut].filter((name) => !/^(?:br|embed|hr|img|meta)$/.test(name)),
  ...(
    'a address article aside button dir details dialog fieldset figcaption figure footer form header hgroup label ' +
    'legend main nav object section select summary tbody td tfoot th thead tr'
  ).split(' '),
]);

export class OpenElements {
  readonly #foreign: ForeignElement[] = [];
  /** One entry per open template; true: it is a declarative shadow root, whose content is shown. */
  readonly #templates: boolean[] = [];
  /** Number of open templates whose content is not fetched. */
  #inert = 0;

  /** Whether the scanner is inside a template whose content is not fetched. */
  get isInert(): boolean {
    return this.#inert > 0;
  }

  get isInShadowRoot(): boolean {
    return this.#templates.length > 0;
  }

  /** Whether the scanner is in foreign content (SVG, MathML), where CDATA sections are allowed. */
  get isForeign(): boolean {
    return this.#foreign.at(-1)?.hasHtml === false;
  }

  /** Records a start tag. @returns The namespace of its element */
  open(tag: StartTag): Namespace {
    const { name } = tag;
    const namespace = this.#namespaceOf(tag);
    if (namespace !== 'html') {
      if (!tag.isSelfClosing) this.#push(tag, namespace);
    } else if (name === 'template') {
      const isShown = isShadowRoot(tag);
      this.#templates.push(isShown);
      if (!isShown) this.#inert++;
    }
    return namespace;
  }

  close(name: string): void {
    if (name === 'template' && !this.isForeign && this.#templates.pop() === false) this.#inert--;
    if (this.#foreign.length > 0) this.#closeForeign(name);
  }

  #closeForeign(name: string): void {
    // </p> and </br> end foreign content, as their start tags do (HTML 13.2.6.5).
    if (this.isForeign && (name === 'p' || name === 'br')) this.#breakOut();
    const at = this.#foreign.findLastIndex((element) => element.name === name);
    if (at !== -1) this.#foreign.length = at;
    else if (this.isForeign && closesContent.has(name)) this.#breakOut();
  }

  #namespaceOf(tag: StartTag): Namespace {
    const { name } = tag;
    const around = this.#foreign.at(-1);
    const isHtml = around === undefined || (around.hasHtml && !isMathGlyph(around, name));
    if (isHtml) return name === 'svg' || name === 'math' ? name : 'html';
    if (around.name === 'annotation-xml' && name === 'svg') return 'svg';
    if (!breaksOut.has(name) && !isColouredFont(tag)) return around.namespace;
    this.#breakOut();
    return this.#namespaceOf(tag);
  }

  #push({ name, attributes }: StartTag, namespace: 'svg' | 'math'): void {
    if (this.#foreign.length >= deepest) return;
    const encoding = attributes.get('encoding')?.toLowerCase() ?? '';
    const hasHtml =
      namespace === 'svg'
        ? svgIntegrationPoints.has(name)
        : mathTextIntegrationPoints.has(name) ||
          (name === 'annotation-xml' && /^(?:text\/html|application\/xhtml\+xml)$/.test(encoding));
    this.#foreign.push({ name, namespace, hasHtml });
  }

  #breakOut(): void {
    this.#foreign.length = 1 + this.#foreign.findLastIndex(({ hasHtml }) => hasHtml);
  }
}

const isMathGlyph = ({ namespace, name }: ForeignElement, tag: string): boolean =>
  namespace === 'math' && name !== 'annotation-xml' && staysInMathText.has(tag);

const isColouredFont = ({ name, attributes }: StartTag): boolean =>
  name === 'font' && ['color', 'face', 'size'].some((attribute) => attributes.has(attribute));

/** Whether a template is a declarative shadow root: shadowrootmode is `open` or `closed` (HTML 13.2.6.4.4). */
function isShadowRoot({ attributes }: StartTag): boolean {
  return /^(?:open|closed)$/i.test(attributes.get('shadowrootmode') ?? '');
}
