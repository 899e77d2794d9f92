// The game, and what was tried beside it, as a tree of moves. Knows no rules.

class Node {
  constructor(parent, move, side) {
    Object.assign(this, { parent, move, side, children: [], isMain: false, value: null, analysis: null });
  }

  // Moves before it, its own included.
  get ply() {
    return this.parent ? this.parent.ply + 1 : 0;
  }

  // From the first move to this one.
  get path() {
    return this.parent ? [...this.parent.path, this] : [];
  }
}

export class GameTree {
  constructor() {
    this.root = new Node(null, null, null);
    this.root.isMain = true;
    this.tip = this.root;
  }

  // The game itself, from the start to where it stands.
  get main() {
    return [this.root, ...this.tip.path];
  }

  // Takes over the game as the server has it. What was taken back is kept only if something was tried after it.
  follow({ moves, movers, values }) {
    const before = this.main;
    before.slice(1).forEach((node) => { node.isMain = false; });
    this.tip = moves.reduce((node, move, index) => {
      const child = this.add(node, move, movers[index]);
      child.isMain = true;
      return child;
    }, this.root);
    before.reverse().forEach((node) => { if (!node.isMain && node.children.length === 0) this.remove(node); });
    this.main.forEach((node, ply) => { node.value = values[ply] ?? node.value; });
  }

  // The node after `node` by `move`, a new one if need be.
  add(node, move, side) {
    const known = node.children.find((child) => child.move === move);
    if (known) return known;
    const child = new Node(node, move, side);
    node.children.push(child);
    return child;
  }

  remove(node) {
    node.parent.children = node.parent.children.filter((child) => child !== node);
  }

  // Where the node stands, as requests say it: `ply` moves of the game, then those of the variation.
  place(node) {
    const variation = node.path.filter(({ isMain }) => !isMain);
    return { ply: node.ply - variation.length, variation: variation.map(({ move }) => move) };
  }

  // The last move on the way that begins with `node`, by the first that was tried at each.
  end(node) {
    const next = node.children.find(({ isMain }) => isMain) ?? node.children[0];
    return next ? this.end(next) : node;
  }
}
