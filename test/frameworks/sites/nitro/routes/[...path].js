import { answer } from '../../../faults.mjs';

const html = { 'Content-Type': 'text/html', 'Cache-Control': 'max-age=600' };
export default ({ url: { pathname } }) =>
  /^\/(?:news)?$/.test(pathname)
    ? new Response('<!doctype html><p><a href="/news">news</a>', { headers: html })
    : answer(pathname.slice(1));
