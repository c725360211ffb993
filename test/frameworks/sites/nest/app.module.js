// A Nest module whose pages link to each other, and the faults of faults.mjs.

import 'reflect-metadata';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Controller, Get, Module, Req, Res } from '@nestjs/common';
import { answer } from '../../faults.mjs';

const html = { 'Content-Type': 'text/html', 'Cache-Control': 'max-age=600' };

class Pages {
  async show(request, reply) {
    const { pathname } = new URL(request.url, 'http://site.example');
    const isPage = /^\/(?:news)?$/.test(pathname);
    if (isPage) {
      for (const [name, value] of Object.entries(html)) reply.header(name, value);
      reply.send('<!doctype html><p><a href="/news">news</a>');
      return;
    }
    reply.hijack?.();
    const response = answer(pathname.slice(1));
    const raw = reply.raw ?? reply;
    raw.statusCode = response.status;
    raw.setHeaders(response.headers);
    if (response.body === null) raw.end();
    else await pipeline(Readable.fromWeb(response.body), raw).catch(() => raw.destroy());
  }
}

export class AppModule {}

// As decorators of TypeScript do.
const method = Object.getOwnPropertyDescriptor(Pages.prototype, 'show');
Get(['/', ':fault'])(Pages.prototype, 'show', method);
Req()(Pages.prototype, 'show', 0);
Res()(Pages.prototype, 'show', 1);
Controller()(Pages);
Module({ controllers: [Pages] })(AppModule);
