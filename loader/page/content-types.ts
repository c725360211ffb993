// Media types whose content is read, in lower case; '': the response names none.

export const htmlTypes = new Set(['', 'text/html', 'application/xhtml+xml']);
export const sheetTypes = new Set(['', 'text/css']);
export const scriptType = /^(?:(?:text|application)\/(?:x-)?(?:java|ecma)script|)$/;
