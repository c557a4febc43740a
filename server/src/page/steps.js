// Steps through positions one by one: with buttons, and with the arrow keys wherever they have no
// other meaning.

/** Elements that use the arrow keys themselves. */
const BUSY = "input, select, textarea, [role=button][data-vertex], dialog";

export class Steps {
  /**
   * The arguments are the buttons to the first, previous, next and last step; `onStep` is called
   * with the number of a step.
   */
  constructor({ first, previous, next, last }, onStep) {
    this.at = 0;
    this.end = 0;
    this.onStep = onStep;
    this.buttons = [[first, () => 0], [previous, () => this.at - 1], [next, () => this.at + 1], [last, () => this.end]];
    for (const [button, target] of this.buttons) button.addEventListener("click", () => this.go(target()));
  }

  /** Sets the current step and the number of steps. */
  set(at, end) {
    Object.assign(this, { at, end });
    const focused = this.buttons.map(([button]) => button).find((button) => button === document.activeElement);
    const [first, previous, next, last] = this.buttons.map(([button]) => button);
    first.disabled = previous.disabled = at === 0;
    next.disabled = last.disabled = at === end;
    // Keyboard focus stays useful: a button that becomes disabled passes it to the nearest one that
    // is enabled.
    if (focused?.disabled) (at === 0 ? next : previous).focus();
  }

  go(to) {
    const step = Math.min(this.end, Math.max(0, to));
    if (step !== this.at) this.onStep(step);
  }

  /** Handles a key; returns true if it was one of these. */
  key(event) {
    if (event.target.closest?.(BUSY) || event.altKey || event.ctrlKey || event.metaKey) return false;
    const target = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.end }[event.key];
    if (target === undefined) return false;
    event.preventDefault();
    this.go(target);
    return true;
  }
}
