// What both commands print comes in part from pages, servers and logs, and is read by terminals and CI systems that
// execute some of it. All that goes to the standard streams passes `inert` here, so no report has to remember it.
// Progress alone moves the cursor: it has no text but our own, and a stream without the guard.

import { inert } from '../loader/report/printable.ts';

type Write = NodeJS.WriteStream['write'];

/** The error stream as a terminal that may be drawn on, for text that is ours alone. */
export const drawnOn: NodeJS.WriteStream = Object.create(process.stderr, {
  write: { value: process.stderr.write.bind(process.stderr), writable: true },
});

export function guardOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...given: unknown[]) => boolean;
    // Reports have colours, and have made text from elsewhere printable before.
    const color = stream === process.stdout;
    stream.write = ((chunk: unknown, ...rest: unknown[]) =>
      write(typeof chunk === 'string' ? inert(chunk, { color }) : chunk, ...rest)) as Write;
  }
}
