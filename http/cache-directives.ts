// Cache-Control as directives (RFC 9111 5.2). Read the way that errs on the safe side: an argument that is
// no number counts as 0, of several the smallest, and `;` and blanks separate as well, so that the `no-store` of
// `max-age=60; no-store` is seen. A field whose quotes never close is `no-cache`, and the words behind the open quote
// are directives too, except those that would allow something: nobody knows what was meant.

import { nameList, splitMembers, unquote } from './field-syntax.ts';
import { fieldValue, type HeaderPair } from './header-pairs.ts';

/** With these a cache may do what it may not without; they do not count behind a quote that never closes. */
const allowing = new Set(['immutable', 'max-stale', 'must-understand', 'public']);

/** Longer times than 2^31 s are this long (RFC 9111 1.2.2). */
export const longestSeconds = 2 ** 31;

export class CacheDirectives {
  /** By name in lower case: null without an argument, '' with one that is broken. */
  readonly #arguments = new Map<string, (string | null)[]>();

  /** A quote was opened and never closed: what the field means is not known. */
  readonly hasOpenQuote: boolean;

  /** @param field the lines of Cache-Control, joined. */
  constructor(field: string) {
    const { openQuoteAt } = splitMembers(field);
    const sound = openQuoteAt === null ? field : field.slice(0, openQuoteAt);
    for (const member of splitMembers(sound, ',; \t').members) {
      const equals = member.indexOf('=');
      const name = (equals === -1 ? member : member.slice(0, equals)).toLowerCase();
      this.#add(name, equals === -1 ? null : (unquote(member.slice(equals + 1)) ?? ''));
    }
    this.hasOpenQuote = openQuoteAt !== null;
    if (openQuoteAt === null) return;
    const words =
      field
        .slice(openQuoteAt)
        .toLowerCase()
        .match(/[a-z-]+/g) ?? [];
    for (const word of ['no-cache', ...words]) if (!allowing.has(word)) this.#add(word, null);
  }

  /** As they came, without their quotes: null without an argument, '' with one that is broken. */
  argumentsOf(name: string): readonly (string | null)[] {
    return this.#arguments.get(name) ?? [];
  }

  has(name: string): boolean {
    return this.#arguments.has(name);
  }

  /** Does it stand alone, without field names that it is limited to? Once is enough. */
  isUnqualified(name: string): boolean {
    return this.argumentsOf(name).some((argument) => nameList(argument ?? '').length === 0);
  }

  /** The fields that `no-cache="..."` or `private="..."` names, in lower case. */
  fieldNames(name: string): string[] {
    return this.argumentsOf(name).flatMap((argument) => nameList(argument ?? ''));
  }

  /**
   * null: absent. 0 to 2^31, 0 for what is no number.
   * @param unlimited what it means without an argument.
   */
  seconds(name: string, unlimited = 0): number | null {
    const found = this.argumentsOf(name);
    if (found.length === 0) return null;
    return Math.min(...found.map((argument) => (argument === null ? unlimited : delta(argument))));
  }

  #add(name: string, argument: string | null): void {
    const found = this.#arguments.get(name);
    if (found === undefined) this.#arguments.set(name, [argument]);
    else if (found.length < 100)
      found.push(argument); // of more, nobody means any
    else this.#arguments.set(name, [null]);
  }
}

export function cacheDirectives(headers: readonly HeaderPair[]): CacheDirectives {
  return new CacheDirectives(fieldValue(headers, 'cache-control'));
}

function delta(seconds: string): number {
  return /^\d+$/.test(seconds) ? Math.min(Number(seconds), longestSeconds) : 0;
}
