// Defines a message for the operator, passed to `onNotice` of an engine or a followed log.

export interface Notice {
  level: 'info' | 'warn' | 'error';
  message: string;
  error?: Error;
}
