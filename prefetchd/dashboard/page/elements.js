// Creates elements. Data from a server becomes text, never markup: innerHTML is not used, and the page's
// Content-Security-Policy would block it.

const svgSpace = 'http://www.w3.org/2000/svg';

/** Makes an element with attributes, event handlers (names that begin with `on`) and children, which may be texts. */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(svgSpace, name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? '' : String(value));
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

export function byId(id) {
  return document.getElementById(id);
}

/** Sets the text of an element unless it is the same already, so that screen readers do not repeat it. */
export function setText(id, text) {
  const found = byId(id);
  if (found.textContent !== text) found.textContent = text;
}
