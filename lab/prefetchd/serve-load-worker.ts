// The load generator: node serve-load-worker.ts '{...LoadSettings}'. Plain sockets, prepared requests, and one read
// buffer per connection. In the open loop, request n is due at start + n / rate, and its latency counts from then,
// however late it was sent (no coordinated omission); the process spins, because timers have a resolution of a
// millisecond.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { answerHead, percentilesOf } from './serve-answer.ts';
import type { LoadAnswer, LoadSettings } from './serve-load.ts';
import { requestsOf } from './serve-requests.ts';

interface Connection {
  socket: Socket;
  /** When its request was to be sent, ms. */
  dueMs: number;
  /** Bytes of the answer that are still to come; 0: none came. */
  missing: number;
}

const settings = JSON.parse(process.argv[2] ?? '') as LoadSettings;
const { port, pid, connections, perS, warmUpS, measuredS } = settings;
const mostRequests = 200_000;
const requests = requestsOf(
  settings.requests,
  Math.min(mostRequests, (perS ?? mostRequests) * (warmUpS + measuredS)),
  settings.seed,
);
const latencies = new Float64Array((perS ?? 100_000) * measuredS);
const idle: Connection[] = [];
let [asked, answered, measured, hinted, failed] = [0, 0, 0, 0, 0];
let [startMs, fromMs, untilMs, lastMs, cpuBeforeMs] = [0, 0, 0, 0, 0];
let isMeasuring = false;

async function open(): Promise<Connection> {
  const buffer = Buffer.alloc(16 * 1024);
  const onread = {
    buffer,
    callback: (bytes: number) => {
      onBytes(connection, buffer, bytes);
      return true;
    },
  };
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
  const connection = { socket, dueMs: 0, missing: 0 };
  await once(socket, 'connect');
  socket.on('close', () => {
    if (performance.now() < untilMs) throw new Error('the server closed a connection');
  });
  return connection;
}

function ask(connection: Connection, dueMs: number): void {
  connection.dueMs = dueMs;
  connection.socket.write(requests[asked++ % requests.length] as Buffer);
}

function onBytes(connection: Connection, buffer: Buffer, bytes: number): void {
  if (connection.missing > 0) connection.missing -= bytes;
  else {
    const text = buffer.toString('latin1', 0, bytes);
    const head = answerHead(text);
    if (!head.isOk) failed++;
    if (connection.dueMs >= fromMs && text.includes('probability')) hinted++;
    connection.missing = head.bytes - bytes;
  }
  if (connection.missing > 0) return;
  const nowMs = performance.now();
  answered++;
  if (connection.dueMs >= fromMs && measured < latencies.length) {
    latencies[measured++] = nowMs - connection.dueMs;
  }
  lastMs = nowMs;
  if (perS === null && nowMs < untilMs) ask(connection, nowMs);
  else idle.push(connection);
}

/** Open loop: asks for what is due, as far as there are connections that wait for nothing. */
function spin(perMs: number, done: () => void): void {
  const total = Math.round((untilMs - startMs) * perMs);
  const turn = () => {
    const nowMs = performance.now();
    if (!isMeasuring && nowMs >= fromMs) begin();
    while (asked < total && startMs + asked / perMs <= nowMs) {
      const connection = idle.shift();
      if (connection === undefined) break;
      ask(connection, startMs + asked / perMs);
    }
    if (answered === total) done();
    else setImmediate(turn);
  };
  turn();
}

function closedLoop(done: () => void): void {
  for (const connection of idle.splice(0)) ask(connection, performance.now());
  setTimeout(begin, fromMs - performance.now());
  const look = () => (idle.length === connections ? done() : setTimeout(look, 10));
  setTimeout(look, untilMs - performance.now());
}

function begin(): void {
  isMeasuring = true;
  cpuBeforeMs = cpuOfServerMs();
}

/** All threads of the server, ms; the kernel counts in hundredths of a second. */
function cpuOfServerMs(): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

for (let n = 0; n < connections; n++) idle.push(await open());
const all = [...idle];
startMs = performance.now() + 10;
fromMs = startMs + warmUpS * 1000;
untilMs = fromMs + measuredS * 1000;
await new Promise<void>((done) => (perS === null ? closedLoop(done) : spin(perS / 1000, done)));
const answer: LoadAnswer = {
  perS: (measured / (lastMs - fromMs)) * 1000,
  latencyMs: percentilesOf(latencies.subarray(0, measured)),
  cpuUs: ((cpuOfServerMs() - cpuBeforeMs) * 1000) / measured,
  hinted: hinted / measured,
  failed,
};
for (const { socket } of all) socket.destroy();
process.stdout.write(JSON.stringify(answer));
