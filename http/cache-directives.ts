// Cache-Control as directives (RFC 9111 5.2). Ambiguous input is read in the most restrictive way: an argument that
// is not a number counts as 0, repeated arguments count as the smallest, and `;` and whitespace also separate
// directives, so that the `no-store` of `max-age=60; no-store` is seen. A field with an unclosed quote counts as
// `no-cache`; the words after the open quote are directives too, except those that would permit something.

import { nameList, splitMembers, unquote } from './field-syntax.ts';
import { fieldValue, type HeaderPair } from './header-pairs.ts';

/** Directives that permit what a cache may not do otherwise; they do not count after an unclosed quote. */
const allowing = new Set(['immutable', 'max-stale', 'must-understand', 'public']);

/** Upper bound of delta-seconds (RFC 9111 1.2.2). */
export const longestSeconds = 2 ** 31;

export class CacheDirectives {
  /** The arguments of each directive, by its name in lower case; null stands for no argument, '' for a malformed
   *  one. */
  readonly #arguments = new Map<string, (string | null)[]>();

  /** Cache-Control has an unclosed quote, so its meaning is unknown. */
  readonly hasOpenQuote: boolean;

  /** @param field All Cache-Control lines, joined. */
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
    const rest = `no-cache ${field.slice(openQuoteAt)}`.toLowerCase();
    for (const [word] of rest.matchAll(/[a-z-]+/g)) if (!allowing.has(word)) this.#add(word, null);
  }

  /** Returns the arguments of a directive without their quotes, in field order: null where it has none, '' for a
   *  malformed one. */
  argumentsOf(name: string): readonly (string | null)[] {
    return this.#arguments.get(name) ?? [];
  }

  has(name: string): boolean {
    return this.#arguments.has(name);
  }

  /** Returns whether a directive appears at least once without a list of field names. */
  isUnqualified(name: string): boolean {
    return this.argumentsOf(name).some((argument) => nameList(argument ?? '').length === 0);
  }

  /** Returns the field names that a directive lists, as `no-cache="..."` does, in lower case. */
  fieldNames(name: string): string[] {
    return this.argumentsOf(name).flatMap((argument) => nameList(argument ?? ''));
  }

  /**
   * Returns the smallest argument of a directive, 0 to 2^31 seconds; 0 for a malformed argument, null if the directive
   * is absent.
   * @param unlimited The result for a directive without an argument.
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
      found.push(argument); // beyond 100 arguments, only the name counts
    else this.#arguments.set(name, [null]);
  }
}

export function cacheDirectives(headers: readonly HeaderPair[]): CacheDirectives {
  return new CacheDirectives(fieldValue(headers, 'cache-control'));
}

function delta(seconds: string): number {
  return /^\d+$/.test(seconds) ? Math.min(Number(seconds), longestSeconds) : 0;
}
