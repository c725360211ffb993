// Documents that are read like pages but are files: they lead nowhere, so the dashboard lists them with objects.

const extensions =
  /\.(?:pdf|ps|epub|docx?|xlsx?|pptx?|od[tsp]|rtf|txt|md|csv|tsv|tex|bib|sig|asc)$/i;

/** @param url path and query */
export function isFile(url: string): boolean {
  const end = url.search(/[?#]/);
  return extensions.test(end === -1 ? url : url.slice(0, end));
}
