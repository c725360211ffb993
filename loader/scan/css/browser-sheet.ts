// The browser's own style sheet (HTML 15.3, Chromium 156), as far as it decides which boxes and fonts there are. Its
// generic font families stand for all fonts that no page defines.

export const browserSheet = `
[hidden]:not([hidden=until-found i]), area, base, basefont, datalist, head, link, meta, noembed, noframes, param,
rp, script, style, template, title, dialog:not([open]), [popover],
input[type=hidden i], details:not([open]) > :not(summary:first-of-type) { display: none }
[hidden=until-found i] { content-visibility: hidden }
b, strong, th, h1, h2, h3, h4, h5, h6 { font-weight: bold }
em, i, cite, dfn, address, var { font-style: italic }
code, kbd, samp, pre, tt, listing, xmp, plaintext { font-family: monospace }
button, input, select, textarea { font: 13px system-ui }
`;
