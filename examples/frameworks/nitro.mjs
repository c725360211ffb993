// plugins/hints.js of Nitro 3.
import { hints } from 'loadahead/web';

const prefetch = hints();
export default (app) => {
  const site = app.fetch;
  app.fetch = (request) => prefetch(request, site, { address: request.ip });
};
