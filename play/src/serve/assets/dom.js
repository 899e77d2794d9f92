// Elements in one line: h for HTML, s for SVG.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
export const s = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
export const byId = (id) => document.getElementById(id);

// Shows or hides, and disables, a button.
export function offer(button, { shown = true, enabled = true, label } = {}) {
  button.hidden = !shown;
  button.disabled = !enabled;
  if (label) button.textContent = label;
}

export const whole = (share) => `${Math.round(share * 100)} %`;
// With a decimal where whole numbers would hide the differences.
export const percent = (share) => `${(share * 100).toFixed(share > 0 && share < 0.095 ? 1 : 0)} %`;
