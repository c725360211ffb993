// Output of both commands comes in part from pages, servers and logs, and is read by terminals and CI systems that
// execute some of it. All output to the standard streams passes `inert` here, so no report has to remember it. Only
// progress moves the cursor: it contains no foreign text, and uses a stream without the guard.

import { inert } from '../loader/report/printable.ts';

type Write = NodeJS.WriteStream['write'];

/** The error stream as a terminal to draw on, only for text of this program. */
export const drawnOn: NodeJS.WriteStream = Object.create(process.stderr, {
  write: { value: process.stderr.write.bind(process.stderr), writable: true },
});

export function guardOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...given: unknown[]) => boolean;
    // Reports have colours; they make foreign text printable before they add them.
    const color = stream === process.stdout;
    stream.write = ((chunk: unknown, ...rest: unknown[]) =>
      write(typeof chunk === 'string' ? inert(chunk, { color }) : chunk, ...rest)) as Write;
  }
}
