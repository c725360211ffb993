// How far requests run ahead on a connection, and how many it carries in its life: the rules alone, without sockets.

import { describe, expect, it } from 'vitest';
import { defaults } from '../../../loader/options.ts';
import { Lessons } from '../../../loader/transport/lessons.ts';
import { leftOn, roomOn } from '../../../loader/transport/way.ts';

const h1 = { httpVersion: 'http/1.1' as const, maxStreams: 1, served: 0, load: 0 };
const h2 = { ...h1, httpVersion: 'h2' as const, maxStreams: 128 };
const room = (one: typeof h1 | typeof h2, lessons = new Lessons()) =>
  roomOn('pipelined', lessons, one, defaults.pipeline);

describe('HTTP/1.1', () => {
  it('is asked for 100 on a connection, which servers usually allow, and for 1,000 when it answered those', () => {
    expect(room(h1)).toBe(100);
    expect(room({ ...h1, served: 1, load: 99 })).toBe(0);
    expect(room({ ...h1, served: 99, load: 1 })).toBe(0);
    const lessons = new Lessons();
    lessons.serves(100, false);
    expect(room(h1, lessons)).toBe(defaults.pipeline.maxDepth);
    expect(leftOn(lessons, { ...h1, served: 100 })).toBe(900);
    lessons.serves(1_000, false);
    expect(leftOn(lessons, { ...h1, served: 1_000 })).toBe(Number.POSITIVE_INFINITY);
  });

  it('is asked for what a broken pipeline showed', () => {
    const lessons = new Lessons();
    lessons.broke(5, 0);
    expect(room(h1, lessons)).toBe(5);
    expect(room({ ...h1, served: 2, load: 2 }, lessons)).toBe(1);
  });
});

describe('HTTP/2', () => {
  it('has as many streams as the server says, 100 at most; one where it says none', () => {
    expect(room(h2)).toBe(100);
    expect(room({ ...h2, maxStreams: 10, load: 3 })).toBe(7);
    expect(room({ ...h2, maxStreams: 0 })).toBe(1);
  });

  it('carries what a GOAWAY left; beyond that one at a time may show that it was no limit', () => {
    const lessons = new Lessons();
    lessons.tookStreams(5, 0);
    expect(room(h2, lessons)).toBe(5);
    expect(room({ ...h2, served: 3, load: 2 }, lessons)).toBe(0);
    expect(room({ ...h2, served: 5 }, lessons)).toBe(1);
    expect(room({ ...h2, served: 5, load: 1 }, lessons)).toBeLessThanOrEqual(0);
    lessons.servedStreams(6);
    expect(room({ ...h2, served: 6 }, lessons)).toBe(100);
  });

  it('a server that takes none is going away: nothing is learned', () => {
    const lessons = new Lessons();
    lessons.tookStreams(0, 0);
    expect(lessons.isBlank).toBe(true);
  });
});
