// Which URLs `forget` removes: the URL itself and everything below it, but not URLs that merely share its first
// letters.

/** `/users/jane` removes `/users/jane`, `/users/jane/photo` and `/users/jane?page=2`; `/users/` removes everything
 *  below it. */
export function isForgotten(url: string, forgotten: string): boolean {
  if (!url.startsWith(forgotten)) return false;
  if (url.length === forgotten.length || /[/?]$/.test(forgotten)) return true;
  return /[/?]/.test(url.charAt(forgotten.length));
}
