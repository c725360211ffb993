// What an operator should know, told to whoever listens: `onNotice` of an engine, of a log that is followed.

export interface Notice {
  level: 'info' | 'warn' | 'error';
  message: string;
  error?: Error;
}
