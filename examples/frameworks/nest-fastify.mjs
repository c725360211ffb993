// src/main.ts or .js of a Nest application on Fastify.
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { hints } from 'loadahead/fastify';
import { AppModule } from './app.module.js';

const app = await NestFactory.create(AppModule, new FastifyAdapter());
await app.register(hints);
await app.listen(process.env.PORT ?? 3000, '127.0.0.1');
console.log(await app.getUrl());
