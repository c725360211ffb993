// Responses by class of status (RFC 9110 15), each counted once, when it is over. A request whose client left before
// its response began counts as `none`, so that all requests are here or under way.

const classes = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

export type ResponseClass = (typeof classes)[number] | 'none';

export class ResponseCounts {
  readonly #counts: Record<ResponseClass, number> = {
    '1xx': 0,
    '2xx': 0,
    '3xx': 0,
    '4xx': 0,
    '5xx': 0,
    none: 0,
  };

  /** For one request: the first call counts. @returns takes the status, or undefined when there was no response */
  once(): (status: number | undefined) => void {
    let isCounted = false;
    return (status) => {
      if (isCounted) return;
      isCounted = true;
      const inClass = status === undefined ? undefined : classes[Math.floor(status / 100) - 1];
      this.#counts[inClass ?? 'none']++;
    };
  }

  read(): Readonly<Record<ResponseClass, number>> {
    return { ...this.#counts };
  }
}
