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

// With a decimal where whole numbers would hide the differences.
export const percent = (share) => `${(share * 100).toFixed(share > 0 && share < 0.095 ? 1 : 0)} %`;

// Whole percentages of `shares`, which sum to 1: they sum to 100.
export function percentages(shares) {
  const exact = shares.map((share) => share * 100);
  const whole = exact.map(Math.floor);
  const left = Math.round(100 - whole.reduce((sum, part) => sum + part, 0));
  const byRest = exact.map((_, index) => index).sort((a, b) => (exact[b] - whole[b]) - (exact[a] - whole[a]));
  byRest.slice(0, left).forEach((index) => { whole[index] += 1; });
  return whole;
}
