// The response to one request with Get-All. The site is asked for the document as if the request had no Get-All. If the
// document is a page, it becomes the first part and is scanned on its way; anything else is passed on as it is.

import { splitMembers } from '../../http/field-syntax.ts';
import {
  fieldValue,
  type HeaderPair,
  hasField,
  withField,
  withoutFields,
} from '../../http/header-pairs.ts';
import { hopByHop } from '../../http/hop-by-hop.ts';
import { acceptEncoding } from '../../loader/response/content-coding.ts';
import { cutOff, type Request, type Response } from '../listen/handler.ts';
import type { Site } from '../listen/inner-requests.ts';
import { Envelope, type OuterResponse, setFields } from './envelope.ts';
import { GatheredWrites } from './gathered-writes.ts';
import { type InnerExchange, openInner } from './inner-exchange.ts';
import type { InnerHead } from './inner-socket.ts';
import type { PageLists } from './page-lists.ts';
import { PageReader } from './page-reader.ts';
import { type Listener, lengthOf, measured, PartSender, Patience } from './part-sender.ts';
import { type Wanted, WantedQueue, wantedAs } from './wanted.ts';

export interface Counts {
  pages: number;
  parts: number;
  held: number;
  leftOut: number;
  bytes: number;
  read: number;
  cutOff: number;
}

export interface PageSettings {
  readonly maxParts: number;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly resources: ((url: string) => readonly string[] | null) | undefined;
  /** Called with path and query. */
  readonly mayBePart: (target: string) => boolean;
  readonly lists: PageLists;
  readonly counts: Counts;
}

interface Asked {
  readonly site: Site;
  readonly req: Request;
  readonly res: Response;
  readonly url: URL;
  readonly held: ReadonlySet<string>;
}

/** @throws what the site throws at once */
export function answerPage(asked: Asked, settings: PageSettings): void {
  const { req, res } = asked;
  const page = new PageResponse(asked, settings);
  const document = page.document();
  page.send(document).catch(() => {
    document.abort();
    if (!res.destroyed) settings.counts.cutOff++;
    page.flush(); // complete parts may be used
    cutOff(req, res);
  });
}

class PageResponse {
  readonly #asked: Asked;
  readonly #settings: PageSettings;
  readonly #target: string;
  readonly #fields: HeaderPair[];
  readonly #queue: WantedQueue;
  readonly #writes: GatheredWrites;
  #current: InnerExchange | null = null;

  constructor(asked: Asked, settings: PageSettings) {
    this.#asked = asked;
    this.#settings = settings;
    this.#target = asked.url.pathname + asked.url.search;
    this.#fields = documentFields(asked.req);
    this.#queue = new WantedQueue(this.#target, settings.maxParts);
    this.#writes = new GatheredWrites(asked.res);
    asked.res.once('close', () => this.#current?.abort());
  }

  flush(): void {
    this.#writes.flush();
  }

  document(): InnerExchange {
    const { site, req } = this.#asked;
    const [target, fields] = [targetOf(req), this.#fields];
    this.#current = openInner({ site, req, target, fields, kind: 'document' });
    return this.#current;
  }

  async send(document: InnerExchange): Promise<void> {
    const { url } = this.#asked;
    const res = this.#asked.res as OuterResponse;
    const head = await document.head;
    if (!isPage(head)) {
      await passOn(head, document, this.#writes, res);
      return;
    }
    const envelope = new Envelope(res, this.#writes);
    const { counts, lists } = this.#settings;
    counts.pages++;
    envelope.open(head);
    const etag = fieldValue(head.fields, 'etag');
    const named = this.#named();
    const list = named === null ? lists.find(url.href, etag) : null;
    for (const each of named ?? list?.wanted ?? []) this.#queue.add(each);
    const reader = named === null && list === null ? await this.#open(head) : null;
    const isRead = await this.#sendDocument(document, head, envelope, reader);
    const read = await this.#sendParts(envelope, reader, list?.read ?? null);
    envelope.end();
    if (isRead) lists.keep(url.href, { etag, wanted: this.#queue.all, read });
  }

  /** What the option `resources` returns for this page; null: its HTML tells. */
  #named(): Wanted[] | null {
    const { url } = this.#asked;
    const named = this.#settings.resources?.(url.href) ?? null;
    if (named === null) return null;
    return named.map((each) => wantedAs(each, url)).filter((each) => each !== null);
  }

  #open({ fields }: InnerHead): Promise<PageReader> {
    this.#settings.counts.read++;
    return PageReader.open(this.#asked.url, fieldValue(fields, 'content-type'), this.#queue);
  }

  /** @returns Whether all that the document names is now known */
  async #sendDocument(
    document: InnerExchange,
    { fields }: InnerHead,
    envelope: Envelope,
    reader: PageReader | null,
  ): Promise<boolean> {
    const copy = reader?.document(fieldValue(fields, 'content-encoding'));
    await envelope.part(this.#target, fields, []);
    for await (const chunk of measured(document.body, lengthOf(fields))) {
      await envelope.write(chunk);
      await copy?.write(chunk);
    }
    this.flush(); // the client can read the document while the parts come
    await copy?.end();
    return copy !== undefined && !copy.isUnread;
  }

  /**
   * @param known ETags of the style sheets and modules when the page was scanned; null: it is being scanned now
   * @returns The same ETags as they are now
   */
  async #sendParts(
    envelope: Envelope,
    reader: PageReader | null,
    known: ReadonlyMap<string, string> | null,
  ): Promise<ReadonlyMap<string, string>> {
    const { maxParts, maxBytes, timeoutMs, mayBePart, counts } = this.#settings;
    const { req, held } = this.#asked;
    const patience = new Patience(timeoutMs);
    const ask = (wanted: Wanted) => this.#ask(wanted);
    const sender = new PartSender({ req, envelope, held, patience, maxBytes, ask });
    const read = new Map<string, string>();
    for (let asked = 0; asked < maxParts && !envelope.isGone && !patience.isOver; asked++) {
      const wanted = this.#queue.next();
      if (wanted === undefined) break;
      const outcome = mayBePart(wanted.target)
        ? await sender.send(wanted, this.#listener(wanted, reader, known, read))
        : 'left out';
      if (outcome === 'sent') counts.parts++;
      else if (outcome === 'held') counts.held++;
      else {
        counts.leftOut++;
        read.delete(wanted.target);
      }
    }
    counts.bytes += sender.bytes;
    if (envelope.isGone) throw new Error('the client is gone');
    for (const { kind, target } of this.#queue.all) {
      if (namesMore(kind) && !read.has(target)) read.set(target, unread);
    }
    return read;
  }

  #ask({ target, kind }: Wanted): InnerExchange {
    const { site, req, url } = this.#asked;
    const fields = partFields(this.#fields, url.href, kind === 'image');
    this.#current = openInner({ site, req, target, fields, kind: 'part' });
    return this.#current;
  }

  /**
   * Follows a style sheet or module: it is scanned, or, with a known list, its ETag is compared with the one scanned.
   */
  #listener(
    wanted: Wanted,
    reader: PageReader | null,
    known: ReadonlyMap<string, string> | null,
    read: Map<string, string>,
  ): Listener | null {
    const { lists } = this.#settings;
    const { url } = this.#asked;
    const before = known?.get(wanted.target);
    let copy: ReturnType<PageReader['part']> = null;
    if (!namesMore(wanted.kind) || (reader === null && before === undefined)) return null;
    return {
      head(fields) {
        const etag = fieldValue(fields, 'etag');
        if (reader === null) {
          if (etag !== before) lists.forget(url.href);
          return;
        }
        read.set(wanted.target, etag);
        const type = fieldValue(fields, 'content-type');
        copy = reader.part(wanted, type, fieldValue(fields, 'content-encoding'));
      },
      body: async (chunk) => copy?.write(chunk),
      async end() {
        await copy?.end();
        if (copy?.isUnread) read.delete(wanted.target);
      },
    };
  }
}

const namesMore = (kind: Wanted['kind']) => kind === 'stylesheet' || kind === 'module';

/** Stands for the ETag of a part that was not sent: once it is sent, the ETag differs and the page is scanned again. */
const unread = '-';

function isPage({ status, fields }: InnerHead): boolean {
  const isAttachment = /^\s*attachment\b/i.test(fieldValue(fields, 'content-disposition'));
  const hasLength = hasField(fields, 'content-length') === (lengthOf(fields) !== null);
  return status === 200 && isHtml(fieldValue(fields, 'content-type')) && !isAttachment && hasLength;
}

/** Passes the response on unchanged, except for fields about the inner connection. */
async function passOn(
  { status, reason, fields }: InnerHead,
  { body }: InnerExchange,
  writes: GatheredWrites,
  res: OuterResponse,
): Promise<void> {
  res.statusCode = status;
  if (res.statusMessage !== undefined || 'statusMessage' in res) res.statusMessage = reason;
  setFields(res, fields);
  for await (const chunk of body) await writes.write(chunk);
  writes.end(Buffer.alloc(0));
}

/** The original target, because routers strip the path they are mounted on. */
export function targetOf(req: Request): string {
  const { originalUrl } = req as { originalUrl?: unknown };
  return typeof originalUrl === 'string' ? originalUrl : (req.url ?? '');
}

const ofTheConnection = new Set([
  ...hopByHop,
  ...'get-all hold-line http2-settings expect content-length trailer'.split(' '),
]);

const ofTheDocument = new Set(
  `if-match if-none-match if-modified-since if-unmodified-since if-range range
    upgrade-insecure-requests priority referer sec-fetch-dest sec-fetch-mode
    sec-fetch-site sec-fetch-user`.split(/\s+/),
);

const codings = new Set(['accept-encoding']);

/** The fields of the client's request that the site gets: all that say who asks, and none about the connection. */
function documentFields({ headers, rawHeaders }: Request): HeaderPair[] {
  const pairs: HeaderPair[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    if (!name.startsWith(':')) pairs.push([name, value]);
  }
  const fields = withReadableCodings(withoutFields(pairs, ofTheConnection));
  const authority = headers[':authority'];
  const isNameless = headers.host === undefined || headers.host === '';
  return isNameless && typeof authority === 'string'
    ? withField(fields, 'Host', authority)
    : fields;
}

/** @param page Absolute URL */
function partFields(document: readonly HeaderPair[], page: string, isImage: boolean) {
  const own = withField(withoutFields(document, ofTheDocument), 'Referer', page);
  return isImage ? withoutFields(own, codings) : own;
}

const readable = new Set(['identity', '*', ...acceptEncoding.split(', ')]);

/** Without codings that are not decoded here: a document in one of them could not be read for its resources. */
function withReadableCodings(fields: HeaderPair[]): HeaderPair[] {
  const { members } = splitMembers(fieldValue(fields, 'accept-encoding'));
  const kept = members.filter((member) => readable.has(nameOf(member)));
  if (kept.length === members.length) return fields;
  const others = withoutFields(fields, codings);
  return kept.length === 0 ? others : [...others, ['Accept-Encoding', kept.join(', ')]];
}

const nameOf = (member: string) => (member.split(';')[0] ?? '').trim().toLowerCase();

export function isHtml(contentType: string): boolean {
  return /^(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(contentType.trim());
}
