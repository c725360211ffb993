// The picture: well formed, bounded, and nothing of a capture in it but escaped text.

import { expect, it } from 'vitest';
import { captureOf } from '../../../loader/packets/capture.ts';
import { renderPacketsSvg } from '../../../loader/packets/packets-svg.ts';
import { renderConnections } from '../../../loader/packets/packets-text.ts';
import { inIpv4, pcap, type Sent, shortFirstSegment } from './capture-files.ts';

async function drawn(sent: readonly Sent[], name = 'a.pcap') {
  async function* chunks() {
    yield pcap(inIpv4(sent));
  }
  const capture = await captureOf(chunks());
  return { capture, svg: renderPacketsSvg(name, capture.connections) };
}

it('a stall is shaded and named, messages are labelled (Heidemann 1996, figure 1)', async () => {
  const { svg } = await drawn(shortFirstSegment);
  expect(svg).toContain(
    '>the server waited 184 ms for an acknowledgment that the client delayed</text>',
  );
  expect(svg).toMatch(/<rect class="acknowledgment"/);
  for (const words of ['GET /a.gif', '200 OK', 'S', '500 B', '20 ms'])
    expect(svg).toContain(`>${words}</text>`);
  for (const look of ['receiving', 'l1', 'm0', 'l1 up'])
    expect(svg).toMatch(new RegExp(`<path class="${look}" d="M`));
  expect(svg).not.toMatch(/NaN|Infinity|undefined/);
});

it('a long idle time is cut short', async () => {
  const end: Sent = { atMs: 65_000, up: false, flags: 'FA', seq: 4607, ack: 53 };
  const all: Sent = { atMs: 192, up: true, seq: 53, ack: 4607 };
  const { svg } = await drawn([...shortFirstSegment, all, end]);
  expect(svg).toContain('>idle 64.8 s</text>');
  expect(svg).toContain('>0.1 s</text>');
});

it('text of a capture is escaped', async () => {
  const request: Sent = {
    atMs: 0,
    up: true,
    seq: 1,
    ack: 1,
    data: 'GET /<b>&"\'\x01 HTTP/1.1\r\n',
    port: 40_000,
  };
  const { svg } = await drawn([request], '<script>.pcap');
  expect(svg).toContain('GET /&#60;b&#62;&#38;&#34;&#39;\\u{1}');
  expect(svg).not.toContain('<script');
});

it('of many packets in the same place one is drawn', async () => {
  const count = 60_000;
  const many: Sent[] = Array.from({ length: count }, (_, i) => {
    const seq = 1 + i * 100;
    // One is lost, and comes much later.
    const at = i === 30_000 ? 59_999.5 : i;
    return { atMs: at / 10, up: false, seq, ack: 1, data: 100, port: 40_000 };
  });
  many.sort((one, other) => one.atMs - other.atMs);
  const { svg } = await drawn(many);
  expect(svg).toMatch(/60,000 packets in [^<]* drawn, one of those in the same place/);
  expect(svg).toMatch(/<path class="connect" d="M/);
  expect(svg.length).toBeLessThan(1_000_000);
});

it('panels are limited, and the rest is told', async () => {
  const many = Array.from(
    { length: 15 },
    (_, i): Sent => ({ atMs: i, up: true, flags: 'S', port: 40_000 + i }),
  );
  const { svg } = await drawn(many);
  expect(svg.match(/<clipPath/g)).toHaveLength(12);
  expect(svg).toContain('15 connections; 3 more: --connection draws one');
});

it.each([20, 80, 120])('tables fit %d columns, or what their figures need', async (columns) => {
  const packets = [1, 2, 3].flatMap((n) =>
    shortFirstSegment.map((each) => ({ ...each, port: 40_000 + n })),
  );
  const { capture } = await drawn(packets);
  const text = renderConnections(capture, capture.connections, { columns, color: false });
  for (const line of text.split('\n'))
    expect(line.length).toBeLessThanOrEqual(Math.max(columns, 80));
  expect(text).toMatch(/^27 packets, 3 TCP\sconnections/);
  expect(text.match(/the server waited\s+184 ms/g)).toHaveLength(3);
});
