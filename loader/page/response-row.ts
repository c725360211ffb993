// A row of the page and the response that the page sees, as far as those who read it need it.

import type { HeaderPair } from '../../http/header-pairs.ts';
import type { ResourceRecord } from '../page-load.ts';
import type { Naming } from '../scan/reference.ts';

export interface ResponseRow {
  readonly row: ResourceRecord;
  /** What named it. */
  readonly how: Naming;
  /** null: no final response yet. */
  readonly status: number | null;
  readonly headers: readonly HeaderPair[];
  /** Value of a header field, lines joined; '' if it is absent. */
  header(name: string): string;
}
