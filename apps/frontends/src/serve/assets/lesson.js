// Learning from one's mistakes: the positions where a move cost much, one after the other, to try again.

import { lossOf, markOf } from './judge.js';

// A move that costs less than this share of a point, or than a third of what the mistake cost, is good enough.
const GOOD_ENOUGH = 0.05;

// The moves of persons (of everybody, if only agents or only persons play) that cost much, in their order.
export function mistakesOf(session) {
  const isMixed = session.isAgent(0) !== session.isAgent(1);
  return session.tree.main.filter((node) => node.parent && markOf(node) && !(isMixed && session.isAgent(node.side)));
}

export class Lesson {
  constructor(session) {
    this.session = session;
    this.mistakes = mistakesOf(session);
    this.index = -1;
  }

  get mistake() { return this.mistakes[this.index]; }

  // What the learner is told.
  get text() {
    const { game } = this.session;
    const { move, side } = this.mistake;
    const cost = `${Math.round(lossOf(this.mistake) * 100)} % of a point`;
    switch (this.phase) {
      case 'right': return `${this.attempt} is good. You played ${move}, which cost ${cost}.`;
      case 'wrong': return `${this.attempt} is not it either${this.cost ? `: it costs ${this.cost} %` : ''}. Try again.`;
      case 'shown': return `Best is ${this.attempt}. You played ${move}, which cost ${cost}.`;
      case 'judging': return `Looking at ${this.attempt} …`;
      default: return `${game.sides[side]} played ${move}, which cost ${cost}. What is better?`;
    }
  }

  async next() {
    this.index += 1;
    if (this.index >= this.mistakes.length) return this.leave();
    this.phase = 'asked';
    await this.session.go(this.mistake.parent);
  }

  leave() {
    this.session.lesson = null;
    return this.session.go(this.session.tree.tip);
  }

  // Judges a move that was tried.
  async tried(node) {
    const { mistake, session } = this;
    if (!mistake || node.parent !== mistake.parent || this.phase === 'shown') return;
    Object.assign(this, { attempt: node.move, cost: 0, phase: 'judging' });
    session.changed();
    try {
      if (!node.value && session.shown.legal.length > 0) await session.analysisOf(node);
    } catch (error) {
      session.fail(error);
    }
    const loss = lossOf(node);
    const isGood = node !== mistake && loss !== null && loss <= Math.max(GOOD_ENOUGH, lossOf(mistake) / 3);
    this.phase = isGood ? 'right' : 'wrong';
    this.cost = loss === null ? 0 : Math.max(0, Math.round(loss * 100));
    session.changed();
    if (!isGood) await session.go(mistake.parent);
  }

  // Tries what the analyst finds best.
  async show() {
    const { mistake, session } = this;
    try {
      const { moves } = await session.analysisOf(mistake.parent);
      if (session.node !== mistake.parent) await session.go(mistake.parent);
      Object.assign(this, { attempt: moves[0].move, phase: 'shown' });
      await session.explore([moves[0].move]);
    } catch (error) {
      session.fail(error);
    }
  }
}
