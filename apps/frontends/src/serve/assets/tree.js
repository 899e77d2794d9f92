// The game, and what was tried beside it, as a tree of decisions. Knows no rules.

class Node {
  constructor(parent, decision, side) {
    Object.assign(this, { parent, decision, side, children: [], isMain: false, value: null, analysis: null });
  }

  // Decisions before it, its own included.
  get ply() {
    return this.parent ? this.parent.ply + 1 : 0;
  }

  // From the first decision to this one.
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
  follow({ decisions, deciders, values }) {
    const before = this.main;
    before.slice(1).forEach((node) => { node.isMain = false; });
    this.tip = decisions.reduce((node, decision, index) => {
      const child = this.add(node, decision, deciders[index]);
      child.isMain = true;
      return child;
    }, this.root);
    before.reverse().forEach((node) => { if (!node.isMain && node.children.length === 0) this.remove(node); });
    this.main.forEach((node, ply) => { node.value = values[ply] ?? node.value; });
  }

  // The node after `node` by `decision`, a new one if need be.
  add(node, decision, side) {
    const known = node.children.find((child) => child.decision === decision);
    if (known) return known;
    const child = new Node(node, decision, side);
    node.children.push(child);
    return child;
  }

  remove(node) {
    node.parent.children = node.parent.children.filter((child) => child !== node);
  }

  // Where the node stands, as requests say it: decisions of the game, and those beside it.
  place(node) {
    const beside = node.path.filter(({ isMain }) => !isMain);
    return { ply: node.ply - beside.length, moves: beside.map(({ decision }) => decision) };
  }

  // The last decision on the way that begins with `node`, by the first that was tried at each.
  end(node) {
    const next = node.children.find(({ isMain }) => isMain) ?? node.children[0];
    return next ? this.end(next) : node;
  }
}
