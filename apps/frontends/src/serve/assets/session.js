// One table: the game as the server has it, what is tried beside it, and what is shown of both.

import { api } from './api.js';
import { GameClock } from './clock.js';
import { Composer } from './composer.js';
import { rememberSeats } from './link.js';
import { GameTree } from './tree.js';

// Between the moves of two agents, so that one can follow.
const WATCH_PAUSE_MS = 500;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const certain = (winner) => ({ first: Number(winner === 0), draw: Number(winner === null), second: Number(winner === 1) });

export class Session {
  // `changed` draws what is shown; `moved` does so in motion, from the position that was shown before; `analyst` says whom to
  // ask for analyses, or null while nobody is to be asked.
  constructor({ changed, moved, analyst }) {
    Object.assign(this, { changed, moved, analyst });
    this.composer = new Composer();
    this.clock = new GameClock(() => this.refresh());
    // Grows with each new game: answers to requests of the one before are of no use.
    this.generation = 0;
    // Grows with each step through the game: only the newest is shown.
    this.steps = 0;
    // The server lets one player think at a table at a time.
    this.chain = Promise.resolve();
  }

  get isLive() { return this.node === this.tree.tip; }
  // Whether the game is over, and its end is shown.
  get isOver() { return this.isLive && this.table.outcome !== null; }
  isAgent(side) { return this.table.seats[side] !== null; }
  get isWatch() { return this.isAgent(0) && this.isAgent(1); }
  get mayDecide() { return this.isLive && !this.busy && !this.isOver && !this.isAgent(this.table.side_to_move) && !this.lesson; }
  // Beside the game anything may be tried: where it was before, and after its end.
  get mayExplore() { return (!this.isLive || this.isOver) && this.shown.legal.length > 0; }

  inTurn(job) {
    const done = this.chain.then(job);
    this.chain = done.catch(() => null);
    return done;
  }

  // Sits down at a new table; what was tried at the one before is kept if its `tree` is given.
  async start(game, seats, { record = '', clock = null, tree = new GameTree() } = {}) {
    const table = await api.create(game.id, seats, record, clock);
    if (this.table) api.remove(this.table.id).catch(() => null);
    Object.assign(this, { game, tree, busy: false, watching: false, lesson: null, note: '', error: '', asked: { seats, clock } });
    this.generation += 1;
    rememberSeats(game.id, seats, clock);
    this.adopt(table);
    this.show(tree.tip, table);
    this.next();
  }

  // Takes over the game as the server has it.
  adopt(table) {
    this.table = table;
    this.tree.follow(table);
    this.clock.set(table.clock);
  }

  show(node, form) {
    Object.assign(this, { node, shown: form, aim: node });
    // Who resigns or loses on time says nothing of the position.
    if (form.outcome?.by === 'rules') node.value = certain(form.outcome.winner);
    this.composer.set(this.mayDecide || this.mayExplore ? form.legal : []);
    this.changed();
  }

  fail(error) {
    this.error = `That did not work: ${error.message}.`;
    this.changed();
    this.error = '';
  }

  pointAt(click) {
    if (!this.mayDecide && !this.mayExplore) return;
    const move = this.composer.click(click);
    if (move) this.choose(move);
    else this.changed();
  }

  // Plays the move in the game, or tries it beside the game.
  choose(move) {
    if (this.mayDecide) this.decide(move);
    else if (this.mayExplore) this.explore([move]);
  }

  cancel() {
    this.composer.cancel();
    this.changed();
  }

  async decide(move) {
    const { id, ply } = this.table;
    this.busy = true;
    try {
      const table = await this.inTurn(() => api.decide(id, move, ply));
      this.busy = false;
      await this.proceed(table);
      this.next();
    } catch (error) {
      this.busy = false;
      // Time may have run out meanwhile.
      await this.refresh();
      this.fail(error);
    }
  }

  // Shows the table after one more move, in motion.
  async proceed(table) {
    const before = this.shown;
    const wasLive = this.isLive;
    this.adopt(table);
    if (!wasLive) return this.changed();
    this.composer.set([]);
    await this.moved(before, table, () => this.show(this.tree.tip, table));
  }

  // Lets agents decide as long as it is their turn.
  async next() {
    const { generation } = this;
    const isStill = () => generation === this.generation;
    const isDue = () => this.table.outcome === null && this.isAgent(this.table.side_to_move) && (!this.isWatch || this.watching);
    try {
      while (isStill() && isDue()) {
        if (this.busy) return;
        this.busy = true;
        this.changed();
        const { id, ply } = this.table;
        const { table } = await this.inTurn(() => api.agent(id, ply));
        if (!isStill()) return;
        this.busy = false;
        await this.proceed(table);
        if (this.isWatch) await pause(WATCH_PAUSE_MS);
      }
      this.analyse();
    } catch (error) {
      if (!isStill()) return;
      Object.assign(this, { busy: false, watching: false });
      this.fail(error);
    }
  }

  // Asks the server how the game stands.
  async refresh() {
    const { generation, table: { id } } = this;
    try {
      const table = await api.table(id);
      if (generation !== this.generation) return;
      const wasLive = this.isLive;
      this.adopt(table);
      if (wasLive) this.show(this.tree.tip, table);
      else this.changed();
    } catch (error) {
      this.fail(error);
    }
  }

  // To before the last move of a person; among agents or persons alone, to before the last move.
  get undoTarget() {
    const { table } = this;
    if (table.moves.length === 0) return null;
    if (this.isAgent(0) === this.isAgent(1)) return table.moves.length - 1;
    const target = table.movers.findLastIndex((side) => !this.isAgent(side));
    return target < 0 ? null : target;
  }

  undo() {
    this.watching = false;
    return this.change(() => api.undo(this.table.id, this.undoTarget));
  }

  resign() {
    return this.change(() => api.resign(this.table.id, this.table.side_to_move));
  }

  async change(request) {
    try {
      const table = await this.inTurn(request);
      this.adopt(table);
      this.show(this.tree.tip, table);
      this.next();
    } catch (error) {
      this.fail(error);
    }
  }

  // The same players with sides exchanged.
  rematch() {
    const { seats: [first, second], clock } = this.asked;
    return this.start(this.game, [second, first], { clock });
  }

  // Goes on with the game from what is shown.
  playFromHere() {
    const record = this.node.path.map(({ move }) => move).join(' ');
    return this.start(this.game, this.asked.seats, { record, clock: this.asked.clock, tree: this.tree });
  }

  // Shows `node`; in motion if it is one move after what is shown.
  async go(node) {
    const step = ++this.steps;
    this.aim = node;
    const before = this.shown;
    const isNext = node.parent === this.node;
    const { ply, variation } = this.tree.place(node);
    try {
      const form = node === this.tree.tip ? this.table : await api.look(this.table.id, ply, variation);
      if (step !== this.steps) return;
      if (isNext) await this.moved(before, form, () => this.show(node, form));
      else this.show(node, form);
      this.analyse();
    } catch (error) {
      this.fail(error);
    }
  }

  // Tries moves after what is shown, and shows where they lead.
  async explore(moves) {
    const from = this.node;
    const { ply, variation } = this.tree.place(from);
    try {
      const form = await api.look(this.table.id, ply, [...variation, ...moves]);
      const movers = form.variation_movers.slice(variation.length);
      const node = moves.reduce((at, move, index) => this.tree.add(at, move, movers[index]), from);
      await this.go(node);
      await this.lesson?.tried(node);
    } catch (error) {
      this.fail(error);
    }
  }

  // Forgets what was tried from `node` on.
  forget(node) {
    const isInside = this.node.path.includes(node);
    this.tree.remove(node);
    if (isInside) this.go(node.parent);
    else this.changed();
  }

  // A step from where the last one leads, which may not be shown yet.
  back() { if (this.aim.parent) this.go(this.aim.parent); }
  forth() {
    const { children } = this.aim;
    if (children.length > 0) this.go(children.find(({ isMain }) => isMain) ?? children[0]);
  }

  // What the analyst says of `node`, asked only if it has not said so before.
  async analysisOf(node, analyst = this.analyst()) {
    const key = JSON.stringify(analyst);
    if (node.analysis?.key === key) return node.analysis;
    const { ply, variation } = this.tree.place(node);
    const analysis = await this.inTurn(() => api.analysis(this.table.id, { ply, variation, ...analyst }));
    node.analysis = { ...analysis, key };
    node.value = analysis.value ?? node.value;
    return node.analysis;
  }

  // Analyses what is shown, if analysis is on and nobody else thinks.
  async analyse() {
    if (!this.table) return;
    const { node, generation } = this;
    const analyst = this.analyst();
    this.note = '';
    if (!analyst || this.busy || this.shown.legal.length === 0) return this.changed();
    const isWanted = () => generation === this.generation && this.node === node && !this.busy
      && JSON.stringify(this.analyst()) === JSON.stringify(analyst);
    if (node.analysis?.key !== JSON.stringify(analyst)) {
      this.note = 'Analysing …';
      this.changed();
      try {
        await this.inTurn(() => null);
        if (!isWanted()) return;
        await this.analysisOf(node, analyst);
        this.note = '';
      } catch (error) {
        this.note = `No analysis: ${error.message}.`;
      }
    }
    if (isWanted()) this.changed();
  }

  // Analyses every position of the game whose value is not known yet.
  async analyseGame() {
    const { generation } = this;
    const missing = this.tree.main.filter(({ value }) => !value);
    for (const [done, node] of missing.entries()) {
      if (generation !== this.generation || !this.analyst() || this.busy) return;
      this.note = `Analysing ${done + 1} of ${missing.length} positions …`;
      this.changed();
      try {
        await this.analysisOf(node);
      } catch (error) {
        this.note = `No analysis: ${error.message}.`;
        return this.changed();
      }
    }
    this.note = '';
    this.analyse();
  }
}
