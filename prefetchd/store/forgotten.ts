// What `forget` means by a URL: itself and all below it, not what only begins with the same letters.

/** `/users/jane` is `/users/jane`, `/users/jane/photo` and `/users/jane?page=2`; `/users/` is all below it. */
export function isForgotten(url: string, forgotten: string): boolean {
  if (!url.startsWith(forgotten)) return false;
  if (url.length === forgotten.length || /[/?]$/.test(forgotten)) return true;
  return /[/?]/.test(url.charAt(forgotten.length));
}
