// Sends the dashboard's requests to prefetchd. The token is kept in sessionStorage only, so it disappears with the tab.

const tokenKey = 'prefetchd-token';
const timeoutMs = 5000;
/** The last answer for each path, used again after a 304. */
const known = new Map();
const mostKnown = 20;

export class NotAdmitted extends Error {}

export function setToken(token) {
  known.clear();
  if (token === '') sessionStorage.removeItem(tokenKey);
  else sessionStorage.setItem(tokenKey, token);
}

export function hasToken() {
  return sessionStorage.getItem(tokenKey) !== null;
}

/** Gets data from the service. @throws NotAdmitted, or Error if the service refuses or does not respond */
export async function get(path) {
  const before = known.get(path);
  const response = await asked(path, before ? { headers: { 'If-None-Match': before.tag } } : {});
  if (response.status === 304) return before.value;
  const value = await answerOf(response);
  const tag = response.headers.get('ETag');
  known.delete(path);
  if (tag !== null) known.set(path, { tag, value });
  if (known.size > mostKnown) known.delete(known.keys().next().value);
  return value;
}

function asked(path, { headers = {} }) {
  const token = sessionStorage.getItem(tokenKey);
  return fetch(path, {
    // With its own cache, the browser would hide the 304 from this code.
    cache: 'no-store',
    credentials: 'omit',
    signal: AbortSignal.timeout(timeoutMs),
    headers: { ...headers, ...(token !== null && { Authorization: `Bearer ${token}` }) },
  });
}

async function answerOf(response) {
  if (response.ok) return response.json();
  const problem = await response.json().catch(() => ({}));
  const detail = problem.detail ?? `it answered ${response.status}`;
  throw response.status === 401 ? new NotAdmitted(detail) : new Error(detail);
}
