// src/hooks.server.js of SvelteKit.
import { hints } from 'loadahead/web';

const prefetch = hints();
export const handle = ({ event, resolve }) =>
  prefetch(event.request, () => resolve(event), { address: event.getClientAddress() });
