// Media types of sheets and scripts whose content is read, in lower case; '': the response names none.

export const sheetTypes = new Set(['', 'text/css']);
export const scriptType = /^(?:(?:text|application)\/(?:x-)?(?:java|ecma)script|)$/;
