// Draws positions with the page's own board, on a document that only keeps what is put into it, and prints its shapes:
// `node page_board.mjs ASSETS < [{game, view, last}]`, where ASSETS has board.js as a module.

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

class Element {
  constructor(tag) { Object.assign(this, { tag, attributes: {}, children: [], style: { setProperty() {} } }); }
  get classList() { return { add: (name) => { this.attributes.class += ` ${name}`; } }; }
  setAttribute(name, value) { this.attributes[name] = String(value); }
  addEventListener() {}
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  contains() { return false; }
  querySelector() { return null; }
}

globalThis.document = { createElement: (tag) => new Element(tag), createElementNS: (_, tag) => new Element(tag) };

const { Board } = await import(pathToFileURL(`${process.argv[2]}/board.js`));
const drawn = JSON.parse(readFileSync(0, 'utf8')).map(({ game, view, last }) => {
  const container = new Element('div');
  const board = new Board(container, {});
  board.setGame(game);
  board.draw({ view, last });
  const plain = (element) => (typeof element === 'string'
    ? element
    : { tag: element.tag, attributes: element.attributes, children: element.children.map(plain) });
  return plain(container.children[0]);
});
process.stdout.write(JSON.stringify(drawn));
