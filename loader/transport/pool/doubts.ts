// Handles responses of a pipeline that ended before all were answered, without surplus bytes: each may belong to the
// next request. A response too many or too few shifts all later ones. A late response that differs from all others
// therefore serves as a witness: it is fetched again alone, and if it is unchanged, nothing was shifted before it.
// The responses after the witness are fetched again as well. It must differ from all others, because equal responses
// cannot be told apart. Up to three suspects are all fetched again.

import { fieldValue } from '../../../http/header-pairs.ts';
import type { LoaderError } from '../../errors.ts';
import type { Exchange } from '../exchange.ts';

/** The suspect responses of one connection. */
export interface Doubt {
  /** The suspect responses, in order of arrival. */
  suspects: Exchange[];
  /** Why the connection ended. */
  error: LoaderError;
}

interface Check {
  witness: Exchange;
  /** Fingerprint of the witness before it was fetched again. */
  was: string;
  doubt: Doubt;
}

export class Doubts {
  readonly #checks: Check[] = [];
  readonly #verify: (exchange: Exchange, error: LoaderError) => void;

  /** @param verify Fetches a response again on its own. */
  constructor(verify: (exchange: Exchange, error: LoaderError) => void) {
    this.#verify = verify;
  }

  /** Number of responses that wait for the check of their witness. */
  get size(): number {
    return this.#checks.reduce((sum, { doubt }) => sum + doubt.suspects.length, 0);
  }

  /** Fetches the witness and all later responses again. */
  check(doubt: Doubt): void {
    const place = witnessPlace(doubt.suspects);
    const asked = doubt.suspects.slice(place);
    const [witness] = asked;
    if (witness === undefined) return;
    if (place > 0) {
      const suspects = doubt.suspects.slice(0, place);
      this.#checks.push({ witness, was: printOf(witness), doubt: { ...doubt, suspects } });
    }
    for (const exchange of asked) this.#verify(exchange, doubt.error);
  }

  /** Stops waiting for witnesses. @returns The remaining doubts. */
  drop(): Doubt[] {
    return this.#checks.splice(0).map(({ doubt }) => doubt);
  }

  /** Accepts or fetches again the responses whose witness has arrived. */
  review(): void {
    for (const check of this.#checks.splice(0)) {
      const { witness, was, doubt } = check;
      if (!witness.done) {
        this.#checks.push(check);
        continue;
      }
      const isSame = witness.attempt.head !== null && printOf(witness) === was;
      for (const exchange of doubt.suspects) {
        if (isSame) exchange.attempt.inStep = true;
        else this.#verify(exchange, doubt.error);
      }
    }
  }
}

/** Index of the last response, except the very last, that differs from all others and may be resent; 0: none. */
function witnessPlace(suspects: readonly Exchange[]): number {
  const prints = suspects.map(printOf);
  for (let place = suspects.length - 2; place > 1; place--) {
    const { cancelled, isIdempotent } = suspects[place] as Exchange;
    const print = prints[place] as string;
    const isAlone = prints.indexOf(print) === place && prints.lastIndexOf(print) === place;
    if (isAlone && isIdempotent && !cancelled) return place;
  }
  return 0;
}

function printOf({ attempt: { head, received, checksum } }: Exchange): string {
  const etag = fieldValue(head?.headers ?? [], 'etag');
  return `${head?.status} ${received} ${checksum} ${etag}`;
}
