// The states of a connection on the server's side, as Hauck draws them (1994, figure 2.1). The names of the edges are
// his; `error` is ours, for a client that is gone.

export type LineState = 'open' | 'standard' | 'asked' | 'held' | 'closed';

export type LineEvent =
  /** A request without Hold-Line arrived. */
  | 'rcv std'
  /** A request with Hold-Line arrived. */
  | 'rcv hl'
  /** A reply without Hold-Line is out: the line is the protocol's again. */
  | 'reply std'
  /** A reply with Hold-Line is out. */
  | 'reply hl'
  /** No request came in time. */
  | 'timeout'
  /** The time of a held line is over. */
  | 'hl timeout'
  | 'error';

type Edges = Readonly<Record<LineState, Readonly<Partial<Record<LineEvent, LineState>>>>>;

/** From each state, where each event leads. `accept` leads to `open`. */
export const edges: Edges = {
  open: { 'rcv std': 'standard', 'rcv hl': 'asked', timeout: 'closed', error: 'closed' },
  standard: { 'reply std': 'closed', error: 'closed' },
  asked: { 'reply std': 'closed', 'reply hl': 'held', error: 'closed' },
  held: { 'rcv std': 'standard', 'rcv hl': 'asked', 'hl timeout': 'closed', error: 'closed' },
  closed: {},
};

/** One connection. */
export class Line {
  #state: LineState = 'open';

  get state(): LineState {
    return this.#state;
  }

  /** @throws Error if the drawing has no such edge */
  take(event: LineEvent): LineState {
    const next = edges[this.#state][event];
    if (next === undefined) throw new Error(`no edge ${event} from ${this.#state}`);
    this.#state = next;
    return next;
  }
}
