// Writes the combined response to a request with Get-All, a multipart body: the document that the site writes becomes
// its first part, and the document's resources follow, one at a time. The site is asked for each as if the client had
// asked for it alone, and its response is left out unless it is a plain 200 that any such request would get.

import { joinedLines, nameList } from '../../http/field-syntax.ts';
import { heldTag } from '../../http/get-all.ts';
import {
  fieldValue,
  type HeaderPair,
  hasField,
  withField,
  withoutFields,
} from '../../http/header-pairs.ts';
import { hopByHop } from '../../http/hop-by-hop.ts';
import type { createScanner, Scanner } from '../../loader/scan/index.ts';
import {
  cutOff,
  isComplete,
  partSent,
  type Request,
  roomToWrite,
  type Site,
} from '../listen/handler.ts';
import type { BodyTaker, Out, OutgoingResponse } from '../listen/held-head.ts';
import { EnvelopeWriter } from './envelope.ts';
import { askSite, type InnerHead, type InnerSocket, isReadable } from './inner-request.ts';
import { namesMore, PageResources, type WantedParts } from './page-resources.ts';

export interface PartCounts {
  /** Number of pages that were sent in one response with their resources (parts). */
  pages: number;
  /** Number of resources that were sent with their body in combined responses; the documents do not count. */
  parts: number;
  /** Number of resources in combined responses that came without a body, because the client has them in its cache. */
  held: number;
  /** Number of resources that pages name, but that were left out of the combined responses. */
  leftOut: number;
  /** Bytes of the bodies of all resources that were sent in combined responses. */
  bytes: number;
  /** Number of combined responses that could not be completed, by no fault of the client. */
  cutOff: number;
}

export interface PageSettings {
  readonly maxParts: number;
  readonly maxPartBytes: number;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Returns whether `allow` (get-all.ts) permits the resource at a path and query in the combined response. */
  readonly mayBePart: (target: string) => boolean;
  readonly counts: PartCounts;
}

export interface GetAllRequest {
  readonly site: Site;
  readonly req: Request;
  readonly res: OutgoingResponse;
  readonly url: URL;
  /** Tags (http/get-all.ts) from the Get-All field of the request, of resources that the client has in its cache. */
  readonly held: ReadonlySet<string>;
  readonly createScanner: typeof createScanner;
}

/** Limit on the bytes of a document that is read for its resources; a longer document is sent without them. */
const mostReadBytes = 1024 * 1024;

export class PageResponse implements BodyTaker {
  readonly #request: GetAllRequest;
  readonly #settings: PageSettings;
  readonly #envelope: EnvelopeWriter;
  readonly #resources: PageResources;
  readonly #scanner: Scanner;
  /** The header fields of the requests for the page's resources. */
  readonly #fields: HeaderPair[];
  /** Content-Length and Content-Encoding of the document; '' if the field is absent. */
  readonly #length: string;
  readonly #coding: string;
  #isOpen = false;
  /** The document so far, to be read for its resources; null: it is too long, or was read. */
  #document: Buffer[] | null = [];
  #documentBytes = 0;
  #partBytes = 0;
  /** How long the site may still take to answer for the resources, ms; time when the client reads does not count. */
  #leftMs: number;
  #current: InnerSocket | null = null;
  /** Functions of other middleware (`onPartSent`), one for each resource sent, called once the client has them all. */
  readonly #whenComplete: (() => void)[] = [];

  constructor(request: GetAllRequest, out: Out, settings: PageSettings) {
    const { req, res, url } = request;
    this.#request = request;
    this.#settings = settings;
    this.#leftMs = settings.timeoutMs;
    this.#fields = partFields(req, url);
    this.#length = textOf(res, 'content-length');
    this.#coding = textOf(res, 'content-encoding');
    this.#envelope = new EnvelopeWriter(res, out);
    this.#resources = new PageResources(url);
    this.#scanner = request.createScanner({ url, contentType: textOf(res, 'content-type') });
    res.once('close', () => this.#current?.destroy());
    // Other middleware added its 'finish' listener earlier, so hints() reports the page before the page's resources.
    res.once('finish', () => {
      if (isComplete(req, res)) for (const act of this.#whenComplete) act();
    });
  }

  write(chunk: Buffer): boolean {
    this.#open();
    this.#documentBytes += chunk.length;
    if (this.#documentBytes > mostReadBytes) this.#document = null;
    this.#document?.push(chunk);
    return this.#envelope.write(chunk);
  }

  end(chunk: Buffer | null): void {
    this.write(chunk ?? Buffer.alloc(0));
    this.#sendParts().catch(() => {
      const { req, res } = this.#request;
      if (!res.destroyed) this.#settings.counts.cutOff++;
      this.#envelope.flush(); // the client may use the parts that are complete
      cutOff(req, res);
    });
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#settings.counts.pages++;
    const { url } = this.#request;
    this.#envelope.open(url.pathname + url.search);
  }

  /**
   * Sends the resources, as the parts that follow the document.
   * @throws Error if the document is not as long as its Content-Length says
   */
  async #sendParts(): Promise<void> {
    const { maxParts, mayBePart, counts } = this.#settings;
    const { res } = this.#request;
    if (this.#length !== '' && Number(this.#length) !== this.#documentBytes) {
      throw new Error('the document is not as long as it says');
    }
    if (this.#document !== null) {
      this.#resources.read(this.#scanner, Buffer.concat(this.#document), this.#coding);
      this.#document = null;
    }
    for (let asked = 0; asked < maxParts && this.#leftMs >= 1; asked++) {
      const wanted = this.#resources.next();
      if (wanted === undefined) break;
      const outcome = mayBePart(wanted.target) ? await this.#sendPart(wanted) : 'leftOut';
      if (res.destroyed) return;
      counts[outcome]++;
    }
    this.#envelope.end();
  }

  async #sendPart(wanted: WantedParts): Promise<'parts' | 'held' | 'leftOut'> {
    const { target, kind } = wanted;
    const { site, req, res, held } = this.#request;
    const { maxPartBytes, counts } = this.#settings;
    const maxBytes = Math.min(maxPartBytes, this.#settings.maxBytes - this.#partBytes);
    const fields = kind === 'image' ? withoutFields(this.#fields, codings) : this.#fields;
    const inner = askSite({ site, req, target, fields, maxBytes });
    this.#current = inner;
    try {
      const head = await this.#inTime(inner.head);
      if (!isPlain(head, req) || !isReadable(head, maxBytes)) return 'leftOut';
      const isHeld = held.has(heldTag(target, fieldValue(head.fields, 'etag')));
      const isRead = namesMore(wanted);
      const body = isHeld && !isRead ? null : await this.#inTime(inner.body);
      if (isRead && body !== null) this.#read(wanted, body, head);
      let hasRoom: boolean;
      if (isHeld || body === null) hasRoom = this.#envelope.notModified(target, head.fields);
      else {
        this.#partBytes += body.length;
        counts.bytes += body.length;
        const length: HeaderPair = ['Content-Length', String(body.length)];
        hasRoom = this.#envelope.part(target, withField(head.fields, ...length), body);
      }
      this.#whenComplete.push(partSent(inner, isHeld));
      if (!hasRoom && !res.destroyed) await roomToWrite(res);
      return isHeld ? 'held' : 'parts';
    } catch {
      return 'leftOut'; // the site gave up, or took too long
    } finally {
      inner.destroy();
    }
  }

  #read(wanted: WantedParts, body: Buffer, { fields }: InnerHead): void {
    const contentType = fieldValue(fields, 'content-type');
    const coding = fieldValue(fields, 'content-encoding');
    this.#resources.readPart(this.#scanner, wanted, body, { contentType, coding });
  }

  /**
   * Waits for the site's answer for one resource, at most half of the time that is left, so that one that never comes
   * leaves time for the others.
   * @throws Error if it takes longer
   */
  async #inTime<T>(coming: Promise<T>): Promise<T> {
    const sinceMs = performance.now();
    const late = Promise.withResolvers<never>();
    const giveUp = () => late.reject(new Error('the site took too long'));
    const timer = setTimeout(giveUp, Math.max(1, this.#leftMs / 2));
    try {
      return await Promise.race([coming, late.promise]);
    } finally {
      clearTimeout(timer);
      this.#leftMs -= performance.now() - sinceMs;
    }
  }
}

/** Returns the value of a field that is set on a response; '' if it is not set. */
export const textOf = (res: OutgoingResponse, name: string): string =>
  joinedLines(res.getHeader(name));

/**
 * Returns whether the response is a 200 that sets no cookie and varies only by fields that the client sent, so that the
 * client's own request for it would get the same.
 */
function isPlain({ status, fields }: InnerHead, { headers }: Request): boolean {
  const isCoded = hasField(fields, 'content-encoding');
  // Available-Dictionary and Accept-Encoding select a content coding: a response without one does not depend on them.
  const isFree = (name: string) =>
    name === 'available-dictionary' || (name === 'accept-encoding' && !isCoded);
  const isAsSent = (name: string) => isFree(name) || joinedLines(headers[name]) !== '';
  return (
    status === 200 &&
    !hasField(fields, 'set-cookie') &&
    nameList(fieldValue(fields, 'vary')).every(isAsSent)
  );
}

const codings = new Set(['accept-encoding']);

/** Fields of the client's request for the page that are not copied into the requests for its resources: they concern
 *  the connection, or the document alone. */
const notOfParts = new Set([
  ...hopByHop,
  ...`get-all expect content-length trailer if-match if-none-match if-modified-since
    if-unmodified-since if-range range upgrade-insecure-requests priority referer sec-fetch-dest
    sec-fetch-mode sec-fetch-site sec-fetch-user accept-encoding`.split(/\s+/),
]);

/**
 * Returns the fields of the requests for the page's resources: those of the client's request that say who asks, and the
 * page as Referer.
 */
function partFields({ headers, rawHeaders }: Request, page: URL): HeaderPair[] {
  const pairs: HeaderPair[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    if (!name.startsWith(':')) pairs.push([name, value]);
  }
  const fields = withField(withoutFields(pairs, notOfParts), 'Referer', page.href);
  const accepted = joinedLines(headers['accept-encoding']);
  if (accepted !== '') fields.push(['Accept-Encoding', accepted]);
  const authority = headers[':authority'];
  const isNameless = headers.host === undefined || headers.host === '';
  return isNameless && typeof authority === 'string'
    ? withField(fields, 'Host', authority)
    : fields;
}
