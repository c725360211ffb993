// What a load generator needs to know about a response, taken from its first chunk: pure.

export interface AnswerHead {
  isOk: boolean;
  /** Bytes of the whole answer, head and body. */
  bytes: number;
}

/** @throws Error when the head is not whole in `text` (latin1), or tells no length. */
export function answerHead(text: string): AnswerHead {
  const end = text.indexOf('\r\n\r\n');
  const [, length] = /\r\ncontent-length: *(\d+)\r\n/i.exec(text) ?? [];
  if (end === -1 || length === undefined) {
    throw new Error(`no head with a length at once: ${JSON.stringify(text.slice(0, 200))}`);
  }
  return { isOk: text.startsWith('HTTP/1.1 200 '), bytes: end + 4 + Number(length) };
}

export interface Percentiles {
  p50: number;
  p99: number;
  p999: number;
  max: number;
}

/** @throws RangeError without values */
export function percentilesOf(values: Float64Array): Percentiles {
  if (values.length === 0) throw new RangeError('percentilesOf needs a value at least');
  const sorted = values.toSorted();
  const at = (share: number) => sorted[Math.floor(share * sorted.length)] as number;
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: sorted.at(-1) as number };
}
