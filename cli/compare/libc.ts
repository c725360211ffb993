// Makes functions of the C library callable, by the package koffi, for what Node lacks: network devices, raw packets,
// and waiting that is exact to the microsecond.

import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';

const koffi = createRequire(import.meta.url)('koffi');
const libc = koffi.load('libc.so.6');

const call = (declaration: string): ((...given: unknown[]) => number) => libc.func(declaration);

export const open = call('int open(const char *path, int flags)');
export const ioctl = call('int ioctl(int fd, ulong request, void *argument)');
export const read = call('long read(int fd, void *bytes, ulong count)');
export const write = call('long write(int fd, const void *bytes, ulong count)');
const ppoll = call('int ppoll(void *fds, ulong count, void *timeout, void *mask)');
export const prctl = call('int prctl(int option, ulong argument)');
export const socket = call('int socket(int domain, int type, int protocol)');
export const setsockopt = call(
  'int setsockopt(int fd, int level, int name, void *value, int length)',
);
export const recvfrom = call(
  'long recvfrom(int fd, void *bytes, ulong count, int flags, void *address, void *length)',
);

const pollIn = 1;

/** Runs a process without an event loop: again and again it waits until standard input or a descriptor can be read, but
 *  at most for `waitMs()`, and calls `pass`. It answers each line of JSON on the input, and ends with the input. */
export function runBlocking(
  descriptors: readonly number[],
  { waitMs, pass, answer }: { waitMs(): number; pass(): void; answer(request: string): object },
): never {
  /** struct pollfd of each descriptor: its number, then the events waited for (lower 16 bits) and seen (upper 16). */
  const polled = Int32Array.from([...descriptors, 0].flatMap((each) => [each, pollIn]));
  const chunk = Buffer.alloc(65_536);
  let line = '';
  say({ isUp: true });
  for (;;) {
    const waitNs = BigInt(Math.round(Math.min(Math.max(waitMs(), 0), 1_000) * 1e6));
    const timeout = BigInt64Array.of(waitNs / 1_000_000_000n, waitNs % 1_000_000_000n);
    ppoll(polled, descriptors.length + 1, timeout, null);
    pass();
    if ((polled.at(-1) as number) >> 16 === 0) continue; // nothing has come from standard input
    const length = read(0, chunk, chunk.length);
    if (length <= 0) process.exit(0);
    line += chunk.toString('utf8', 0, length); // a pipe passes on 64 KB at most
    if (!line.endsWith('\n')) continue;
    say(answer(line));
    line = '';
  }
}

/** Prints a line of JSON at once, also where the process ends next. */
export const say = (answer: object): void => void writeSync(1, `${JSON.stringify(answer)}\n`);
