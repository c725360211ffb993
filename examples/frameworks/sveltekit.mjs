// src/hooks.server.js of SvelteKit.

import { hints } from 'loadahead/web';
import { building } from '$app/environment';

const prefetch = hints();
export const handle = ({ event, resolve }) => {
  if (building) return resolve(event); // prerendering has no visitor
  return prefetch(event.request, () => resolve(event), { address: event.getClientAddress() });
};
