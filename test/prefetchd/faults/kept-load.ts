// Load over kept connections, as browsers and web servers make it: each client asks again as soon as it has its
// answer, or a moment later, until it is told that the connection ends (RFC 9112 9.6). What was asked and not
// answered is lost.

import { connect } from 'node:net';

export interface KeptLoad {
  /** Resolves after so many more answers. */
  answered(more: number): Promise<void>;
  /** When all connections are closed. */
  readonly ended: Promise<KeptCounts>;
}

export interface KeptCounts {
  answered: number;
  /** Answers with `Connection: close`. */
  told: number;
  /** What became of connections whose request had no answer. */
  lost: string[];
  /** Answers that were no 200. */
  others: string[];
}

/** Every fifth client looks at what it got for so long, ms, and is idle meanwhile. */
const pauseMs = 20;

export function keptLoad(port: number, request: string, clients = 50): KeptLoad {
  const counts: KeptCounts = { answered: 0, told: 0, lost: [], others: [] };
  let waiting: Array<{ count: number; resolve: () => void }> = [];
  const onAnswer = (head: string) => {
    counts.answered++;
    if (!head.startsWith('HTTP/1.1 200 ')) counts.others.push(head);
    for (const { resolve } of waiting.filter(({ count }) => counts.answered >= count)) resolve();
    waiting = waiting.filter(({ count }) => counts.answered < count);
  };
  const closed = Array.from({ length: clients }, async (_, n) => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    let [received, isAsking, failure] = ['', false, 'closed'];
    const ask = () => {
      if (socket.readyState !== 'open') return;
      isAsking = true;
      socket.write(request);
    };
    socket.on('connect', ask);
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      failure = code ?? 'error';
    });
    socket.on('data', (text: string) => {
      received += text;
      const headEnd = received.indexOf('\r\n\r\n') + 4;
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? Number.NaN);
      if (headEnd < 4 || !(received.length >= headEnd + length)) return;
      const head = received.slice(0, headEnd);
      [received, isAsking] = ['', false];
      onAnswer(head);
      if (/\r\nconnection: close\r\n/i.test(head)) {
        counts.told++;
        socket.end();
      } else if (n % 5 === 0) setTimeout(ask, pauseMs);
      else ask();
    });
    await new Promise((resolve) => socket.once('close', resolve));
    if (isAsking) counts.lost.push(failure);
  });
  return {
    answered(more) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ count: counts.answered + more, resolve });
      return promise;
    },
    ended: Promise.all(closed).then(() => counts),
  };
}
