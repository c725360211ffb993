// Answers of a pipeline that ended short of what was asked, without a surplus byte: each may be the next one's. One
// answer too many or too few shifts all behind it, so one that stands late, and is unlike all others, is a witness
// for those before it: it is fetched again, alone, and if the same comes once more nothing was shifted. The few
// behind the witness are fetched again with it. (Which of two equal answers came cannot be told, hence "unlike all
// others"; and of three that are in doubt none is spared.)

import { fieldValue } from '../../../http/header-pairs.ts';
import type { LoaderError } from '../../errors.ts';
import type { Exchange } from '../exchange.ts';

/** The answers of one connection. */
export interface Doubt {
  /** In the order in which they came. */
  suspects: Exchange[];
  /** Why it ended. */
  error: LoaderError;
}

interface Check {
  witness: Exchange;
  /** What it was before it was fetched again. */
  was: string;
  doubt: Doubt;
}

export class Doubts {
  readonly #checks: Check[] = [];
  readonly #verify: (exchange: Exchange, error: LoaderError) => void;

  /** @param verify fetches an answer again, alone. */
  constructor(verify: (exchange: Exchange, error: LoaderError) => void) {
    this.#verify = verify;
  }

  /** Answers that wait for what their witness says. */
  get size(): number {
    return this.#checks.reduce((sum, { doubt }) => sum + doubt.suspects.length, 0);
  }

  /** How many are fetched again to know of all, if the witness is as it was. */
  static cost({ suspects }: Doubt): number {
    return suspects.length - witnessPlace(suspects);
  }

  /** Fetches again what has to be. */
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

  /** Nobody waits for witnesses any more. @returns what is left in doubt. */
  drop(): Doubt[] {
    return this.#checks.splice(0).map(({ doubt }) => doubt);
  }

  /** Those whose witness has been heard are believed, or fetched again too. @returns whether any are. */
  review(): boolean {
    let isAsked = false;
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
      isAsked ||= !isSame;
    }
    return isAsked;
  }
}

/** The latest, but not the last, that is unlike all others and may be asked for again; 0: there is none. */
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
