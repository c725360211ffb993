// Recognises text that identifies a person or a permission instead of a page: tokens, session ids, signatures, e-mail
// addresses, telephone numbers. Titles, slugs, dates, colours and short ids are not opaque. Doubtful text is opaque,
// because a page whose URL is mistaken for a token is merely not learned.
//
// A token is a run of letters and digits that is no word: letters and digits alternate too often, or it is too long, or
// it has too few vowels. Every step is linear in the text.

/** Longest run of letters, and of letters mixed with digits, that can be a word. */
const longestWord = 23;
const longestMixed = 15;
/** Most digits of an id; a telephone number, a time in seconds or a card number has more. */
const mostDigits = 9;

/** @param text decoded, without `+` for a space */
export function isOpaque(text: string): boolean {
  if (text.includes('@') || isUuid(text) || isPhoneLike(text)) return true;
  const runs = text.match(/[A-Za-z0-9]+/g) ?? [];
  return (
    runs.some(isToken) || runs.filter((run) => /\d/.test(run) && /[A-Za-z]/.test(run)).length > 2
  );
}

function isToken(run: string): boolean {
  const digits = run.replace(/[^0-9]+/g, '').length;
  if (digits === run.length) return digits > mostDigits || (digits > 6 && run.startsWith('0'));
  if (run.length >= 8 && digits > 0 && /^[0-9a-f]+$/i.test(run)) return true;
  if (digits > 0) return run.length > longestMixed || changesOften(run, 6);
  if (run.length > longestWord) return true;
  const vowels = run.replace(/[^aeiouy]+/gi, '').length;
  const isUnpronounceable = run.length >= 16 ? vowels * 10 < run.length * 3 : vowels === 0;
  return (run.length >= 8 && isUnpronounceable) || changesOften(run, 8);
}

/** True if letters and digits, or small and capital letters, alternate more than every fourth character. */
export function changesOften(run: string, shortest: number): boolean {
  const changes = run.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])|[a-z](?=[A-Z])/g)?.length ?? 0;
  return run.length >= shortest && changes >= 3 && changes * 4 > run.length;
}

export function isUuid(text: string): boolean {
  return /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i.test(text);
}

function isPhoneLike(text: string): boolean {
  if (!/^[\d\s+().-]+$/.test(text)) return false;
  const digits = text.replace(/\D+/g, '').length;
  if (digits < 7) return false;
  const isDate = /^\d{4}-\d{1,2}(?:-\d{1,2})?$|^\d{1,2}[.-]\d{1,2}[.-]\d{4}$/.test(text);
  const isNumber = /^[1-9]\d{0,8}(?:\.\d{1,4})?$/.test(text);
  const isRange = /^[1-9]\d{0,5}-[1-9]\d{0,5}$/.test(text) && !/^\d{3}-\d{4}$/.test(text);
  return !isDate && !isNumber && !isRange;
}
