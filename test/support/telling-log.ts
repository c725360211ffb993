// A log that passes on all that is told, for tests.

import type { Logger } from '../../options/logger.ts';

interface Fields {
  err?: Error & { code?: string };
  fault?: string;
}

export function tellingLog(tell: (message: string, fields: Fields, level: string) => void): Logger {
  const at = (level: string) => (fields: object, message: string) => tell(message, fields, level);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
