// The choice between several moves that share a point.

import { html } from "./elements.js";

export class Choice {
  constructor(container) {
    this.container = container;
    container.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.hide();
      this.back();
    });
  }

  /**
   * Plays the one move there is, or offers several on buttons. After a choice or Escape, keyboard
   * focus returns to the point `vertex` of `board`.
   */
  offer(moves, board, vertex, play) {
    if (moves.length === 1) {
      play(moves[0].move);
      return;
    }
    this.back = () => board.focus(vertex);
    const buttons = moves.map(({ move, label }) => {
      const button = html("button", { type: "button", textContent: label });
      button.dataset.move = move;
      button.addEventListener("click", () => { this.back(); play(move); });
      return button;
    });
    this.container.replaceChildren(...buttons);
    this.container.hidden = false;
    buttons[0].focus();
  }

  hide() {
    this.container.hidden = true;
  }
}

/** The moves at a point of a position, as the server describes them. */
export const movesAt = (view, vertex) => view.choices[vertex] ?? [{ move: vertex, label: vertex }];
