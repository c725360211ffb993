// src/main.ts or .js of a Nest application on Express.
import { NestFactory } from '@nestjs/core';
import { hints } from 'loadahead/hints';
import { AppModule } from './app.module.js';

const app = await NestFactory.create(AppModule);
app.use(hints());
await app.listen(process.env.PORT ?? 3000, '127.0.0.1');
console.log(await app.getUrl());
