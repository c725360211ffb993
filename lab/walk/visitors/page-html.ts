// A page of the site as HTML: its links without overlap in the first screen, then 20 kB of text.

import type { SitePage } from './site.ts';

export const sheetPath = '/site.css';

export const sheet = `body { font: 16px sans-serif; margin: 0 40px }
nav { display: grid; grid-template-columns: repeat(3, 1fr); gap: 12px }
nav a { display: block; padding: 8px; background: #eef }
${'/* as long as a style sheet */\n'.repeat(600)}`;

const text = `<p>${'Somebody reads this page, and then goes on. '.repeat(20)}</p>\n`.repeat(22);

export function htmlOf({ path, links }: SitePage, head: string): string {
  const anchors = links.map((link) => `<a href="${link}">${link}</a>`).join('\n');
  return `<!doctype html>
<html lang="en">
<link rel="stylesheet" href="${sheetPath}">
${head}
<title>${path}</title>
<h1>${path}</h1>
<nav>
${anchors}
</nav>
${text}</html>
`;
}
