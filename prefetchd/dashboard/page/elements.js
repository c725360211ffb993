// Elements made by hand. Whatever comes from a server becomes text, never markup: there is no innerHTML here, and
// the page's Content-Security-Policy would refuse it.

const svgSpace = 'http://www.w3.org/2000/svg';

/** An element with attributes, properties that begin with `on`, and children, texts among them. */
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

/** Only when it is another: what did not change is not read out again. */
export function setText(id, text) {
  const found = byId(id);
  if (found.textContent !== text) found.textContent = text;
}
