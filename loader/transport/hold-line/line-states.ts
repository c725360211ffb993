// The states of a connection on the client's side (Hauck 1994, figure 2.2). The names of the edges are his. A request
// on a held line has states of its own, because an error there is not the server's fault: it dropped the line as the
// request went out, and the request is silently sent again on a new connection (2.2).

export type LineState =
  | 'closed'
  | 'open'
  | 'standard'
  | 'asked'
  | 'held'
  | 'standard on held'
  | 'asked on held'
  | 'retry';

export type LineEvent =
  | 'open'
  /** A request without Hold-Line went out. */
  | 'send std'
  /** A request with Hold-Line went out. */
  | 'send hl'
  /** A reply without Hold-Line came: the line is the protocol's again. */
  | 'get std'
  /** A reply with Hold-Line came. */
  | 'get hl'
  /** The connection broke, or the server closed it. */
  | 'error'
  /** The time of a held line is over. */
  | 'hl timeout';

type Edges = Readonly<Record<LineState, Readonly<Partial<Record<LineEvent, LineState>>>>>;

/** From each state, where each event leads. */
export const edges: Edges = {
  closed: { open: 'open' },
  open: { 'send std': 'standard', 'send hl': 'asked', error: 'closed' },
  standard: { 'get std': 'closed', error: 'closed' },
  asked: { 'get std': 'closed', 'get hl': 'held', error: 'closed' },
  held: {
    ...{ 'send std': 'standard on held', 'send hl': 'asked on held' },
    ...{ 'hl timeout': 'closed', error: 'closed' },
  },
  'standard on held': { 'get std': 'closed', error: 'retry' },
  'asked on held': { 'get std': 'closed', 'get hl': 'held', error: 'retry' },
  retry: { open: 'open' },
};

/** One line of a client. */
export class Line {
  #state: LineState = 'closed';

  get state(): LineState {
    return this.#state;
  }

  /** @throws Error if there is no such edge */
  take(event: LineEvent): LineState {
    const next = edges[this.#state][event];
    if (next === undefined) throw new Error(`no edge ${event} from ${this.#state}`);
    this.#state = next;
    return next;
  }
}
