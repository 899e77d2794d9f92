// Composes a move click by click out of the clicks that the server lists for each legal move. Knows no rules.

export class Composer {
  constructor() {
    this.set([]);
  }

  // Starts anew with these moves.
  set(legal) {
    this.legal = legal;
    this.picks = [];
  }

  get candidates() {
    return this.legal.filter(({ clicks }) => this.picks.every((pick) => clicks.includes(pick)));
  }

  // What may be clicked now.
  get next() {
    const open = this.candidates.flatMap(({ clicks }) => clicks).filter((click) => !this.picks.includes(click));
    return new Set(open);
  }

  // What may be clicked if nothing were picked yet.
  get first() {
    return new Set(this.legal.flatMap(({ clicks }) => clicks));
  }

  // Adds a click, takes it back, or starts anew with it; returns the move that is complete by it, or null.
  click(click) {
    if (this.picks.includes(click)) {
      this.picks = this.picks.filter((pick) => pick !== click);
      return null;
    }
    if (this.next.has(click)) this.picks = [...this.picks, click];
    else if (this.first.has(click)) this.picks = [click];
    else return null;
    const complete = this.candidates.find(({ clicks }) => clicks.length === this.picks.length);
    if (!complete) return null;
    this.picks = [];
    return complete.move;
  }

  cancel() {
    this.picks = [];
  }
}
