// Finds the objects of each page, as seen in views without preloads, and which of them browsers find late.
//
// An object is late if only a style sheet names it: browsers send the style sheet's URL as Referer of what it imports
// and shows, fonts included (CSS Fetch: the style sheet is the referrer). A font is always late, since it waits for
// layout. Objects that the HTML names have the page as Referer; the preload scanner finds them as soon as they arrive.
//
// A preloaded object is fetched because it was named, so that fetch says nothing about the page. A fetch counts only if
// the visitor was not told of the object and did not have it: such a view is a trial of the object. So that there are
// always trials, every eighth view of a page gets no preloads. The latest 16 trials count, one of each address: an
// object that the page no longer embeds loses its preload after 8 trials, i.e. 64 views.
//
// All this is in memory and bounded: after a restart, it is learned again from visitors. Addresses are fingerprints
// (model/graph/client-sets.ts).

import { LatestMap } from '../../process/latest-map.ts';
import { originOf } from '../normalise-url.ts';
import { isLateByName, isPreloadable } from '../wire/link-hints.ts';
import type { Visitors } from './visitors.ts';

export interface LateObject {
  readonly url: string;
  /** Share of the views without a preload of the object (trials) in which browsers fetched the object, 0..1. */
  readonly share: number;
}

export interface OwnObjectsOptions {
  /** Number of distinct addresses that must have found an object through a style sheet before it counts as late. */
  minClients: number;
  /** How long, ms, visitors are assumed to have what they fetched, and to be in the same view of a page. */
  rememberMs: number;
}

/** A visitor of a page, known by its pseudonym and its fingerprint. */
export interface PageVisitor {
  readonly client: string;
  readonly fingerprint: number;
}

type TrialResult = 'missed' | 'early' | 'late';

interface OwnObject {
  /** For each address (fingerprint), the result of its latest view without a preload of the object; oldest first. */
  readonly trials: Map<number, TrialResult>;
  share: number;
  isLate: boolean;
}

interface OwnPage {
  /** The objects of the page by URL, ordered by their latest fetch, the oldest first. */
  readonly objects: Map<string, OwnObject>;
  /** Number of views of the page for which it was decided whether they get preloads. */
  views: number;
}

interface ObjectRequest {
  readonly timeMs: number;
  readonly goesWithoutPreloads: boolean;
}

const mostPages = 1000;
const mostObjects = 16;
const mostTrials = 16;
const mostAnswers = 8192;
/** One of this many views of a page gets no preloads. */
const viewsPerTrial = 8;
/** Number of views without a preload of an object (trials) needed before the object may lose its preload. */
const leastTrials = 4;

export class OwnObjects {
  readonly #visitors: Visitors;
  readonly #options: OwnObjectsOptions;
  readonly #pages = new LatestMap<string, OwnPage>(mostPages);
  /** For each client and page, whether that view of the page gets preloads, as `goesWithoutPreloads` last answered. */
  readonly #asked = new LatestMap<string, ObjectRequest>(mostAnswers);

  constructor(visitors: Visitors, options: OwnObjectsOptions) {
    this.#visitors = visitors;
    this.#options = options;
  }

  /**
   * Notes that the visitor's browser requested a page. @param isTrial whether what it fetches next shows what the page
   * embeds; false if it may have all objects of the page, whatever `lacks` says @param lacks returns true for an object
   * that the visitor neither has nor got a hint to
   */
  opened(
    { client, fingerprint }: PageVisitor,
    page: string,
    isTrial: boolean,
    lacks: (url: string) => boolean,
  ): void {
    this.#visitors.visitorOf(client).view = { page, isTrial };
    this.#asked.delete(`${client} ${page}`);
    if (!isTrial) return;
    for (const [url, object] of this.#pages.get(page)?.objects ?? []) {
      if (lacks(url)) this.#note(object, fingerprint, 'missed');
    }
  }

  /** Notes that the visitor's browser requests an object with this page as Referer, so it shows this page. */
  shows({ client }: PageVisitor, page: string): void {
    const visitor = this.#visitors.visitorOf(client);
    if (visitor.view?.page !== page) visitor.view = { page, isTrial: true };
  }

  /** Notes that the browser fetched an object to which it had got no hint. @param isOfStyle true if the Referer is a
   *  style sheet, which names the object */
  fetched({ client, fingerprint }: PageVisitor, url: string, isOfStyle: boolean): void {
    const view = this.#visitors.find(client)?.view;
    if (!view?.isTrial || !isPreloadable(url)) return;
    if (originOf(url) !== originOf(view.page)) return;
    const trial = isOfStyle || isLateByName(url) ? 'late' : 'early';
    const known = this.#pages.get(view.page)?.objects.get(url);
    if (known === undefined && trial === 'early') return;
    this.#note(this.#objectOf(view.page, url), fingerprint, trial);
  }

  /** Notes that a hint to preload the object was given, so from now on it is counted whether views without that preload
   *  fetch the object. */
  preloaded(page: string, url: string): void {
    if (this.#pages.get(page)?.objects.has(url) !== true) this.#objectOf(page, url);
  }

  /**
   * Returns whether the client's view of the page gets no preloads, to learn what browsers fetch without them. All
   * questions of one view get the same answer, until the request for the page itself is known. @param lacks returns
   * true for an object that the client neither has nor got a hint to
   */
  goesWithoutPreloads(
    page: string,
    client: string,
    timeMs: number,
    lacks: (url: string) => boolean,
  ): boolean {
    const known = this.#pages.get(page);
    if (known === undefined) return false;
    const key = `${client} ${page}`;
    const asked = this.#asked.get(key);
    const ageMs = timeMs - (asked?.timeMs ?? Number.NEGATIVE_INFINITY);
    if (asked !== undefined && Math.abs(ageMs) <= this.#options.rememberMs) {
      return asked.goesWithoutPreloads;
    }
    // A client that has all objects would fetch none in any case, so its view shows nothing about the page.
    if (![...known.objects.keys()].some(lacks)) return false;
    const goesWithoutPreloads = ++known.views % viewsPerTrial === 0;
    this.#asked.set(key, { timeMs, goesWithoutPreloads });
    return goesWithoutPreloads;
  }

  /** Returns the objects that browsers find late on a page, the likeliest first. @param above only objects that were
   *  fetched in a larger share of the views without their preload are returned, 0..1 */
  late(page: string, above: number): LateObject[] {
    const found: LateObject[] = [];
    for (const [url, { share, isLate }] of this.#pages.get(page)?.objects ?? []) {
      if (isLate && share > above) found.push({ url, share });
    }
    return found.sort((one, other) => other.share - one.share);
  }

  /** Returns false if views without preloads show that the page does not embed the object. @param above an object
   *  fetched in more than this share of those views, 0..1, counts as embedded */
  mayPreload(page: string, url: string, above: number): boolean {
    const known = this.#pages.get(page)?.objects.get(url);
    return known === undefined || known.trials.size < leastTrials || known.share > above;
  }

  /** Forgets which clients' views of pages get no preloads, because the pseudonyms of clients change. */
  forgetClients(): void {
    this.#asked.clear();
  }

  clear(): void {
    this.forgetClients();
    this.#pages.clear();
  }

  #objectOf(page: string, url: string): OwnObject {
    const { objects } = this.#pageOf(page);
    const known = objects.get(url) ?? { trials: new Map(), share: 0, isLate: false };
    objects.delete(url);
    if (objects.size >= mostObjects) objects.delete(objects.keys().next().value as string);
    objects.set(url, known);
    return known;
  }

  #pageOf(page: string): OwnPage {
    const known = this.#pages.get(page) ?? { objects: new Map<string, OwnObject>(), views: 0 };
    this.#pages.set(page, known);
    return known;
  }

  #note(object: OwnObject, fingerprint: number, trial: TrialResult): void {
    const { trials } = object;
    trials.delete(fingerprint);
    trials.set(fingerprint, trial);
    if (trials.size > mostTrials) trials.delete(trials.keys().next().value as number);
    let [late, fetched] = [0, 0];
    for (const one of trials.values()) {
      if (one === 'late') late++;
      if (one !== 'missed') fetched++;
    }
    object.share = fetched / trials.size;
    object.isLate = late >= this.#options.minClients && 2 * late > fetched;
  }
}
