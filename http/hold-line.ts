// The Hold-Line field (Hauck 1994, "Optimizing Latency of the HTTP Protocol", 2.1). In a request it says that the
// client can hold the connection after the reply, and for how long; in a reply it says the same of the server.

/** Longest time for which the field Hold-Line keeps an idle connection open, seconds; longer ones are reduced to it. */
export const longestHold = 3600;

/**
 * Reads the value of a Hold-Line field.
 * @returns Seconds; null if the field gives no time; undefined if the value is invalid, as if there were no field.
 */
export function parseHoldLine(value: string): number | null | undefined {
  const written = value.trim();
  if (written === '') return null;
  if (!/^\d{1,9}$/.test(written)) return undefined;
  return Math.min(Number(written), longestHold);
}

/** The edges of a state diagram: for each state, the state that each event leads to. */
export type LineEdges<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Event, State>>>>
>;

/**
 * Returns the state to which an event leads in a state diagram, the client's or the server's (Hauck 1994, figures 2.1
 * and 2.2).
 * @throws Error if the diagram has no such edge
 */
export function nextState<State extends string, Event extends string>(
  edges: LineEdges<State, Event>,
  state: State,
  event: Event,
): State {
  const next = edges[state][event];
  if (next === undefined) throw new Error(`no edge ${event} from ${state}`);
  return next;
}
