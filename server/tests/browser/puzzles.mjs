// Puzzles: a wrong move is answered, the right one explained, and the next one offered.

import assert from "node:assert/strict";
import { open, picture, server } from "./harness.mjs";

const api = async (path) => (await fetch(`${server.url}api/puzzles${path}`)).json();

/** The right move of a puzzle, and a wrong one that is answered. */
export async function moves(rules, number) {
  const { state } = await api(`/${rules}/${number}`);
  const points = state.legal.filter((move) => /^[A-Z]\d+$/.test(move));
  const answers = await Promise.all(points.map(async (move) => [move, await api(`/${rules}/${number}/${move}`)]));
  const [right] = answers.find(([, answer]) => answer.right);
  const [wrong] = answers.find(([, answer]) => answer.steps.length === 2);
  return { right, wrong };
}

/** From the page with all games through a puzzle, by hand. */
export async function puzzle(options, name) {
  const page = await open(options);
  const [{ rules, count }] = await api("");
  await page.goto(server.url);
  await page.locator(`#variants a.puzzles[href^="#puzzle=${rules}"]`).click();
  await page.locator("#puzzle .board svg").waitFor();
  const { right, wrong } = await moves(rules, 1);
  await picture(page, `puzzle-${name}`);
  const place = (vertex) => page.locator(`#puzzle [data-vertex="${vertex}"]`)[options.hasTouch ? "tap" : "click"]();
  await place(wrong);
  await page.locator("#puzzle .step", { hasText: `${wrong} is not it.` }).waitFor();
  await page.locator("#puzzle .remarks", { hasText: "answers with" }).waitFor();
  assert.equal(await page.locator("#puzzle [aria-disabled=false][data-vertex]").count(), 0, "an answered puzzle waits");
  await picture(page, `puzzle-wrong-${name}`);
  await page.locator("#puzzle button", { hasText: "Try again" }).click();
  await place(right);
  await page.locator("#puzzle .step", { hasText: `${right} is right.` }).waitFor();
  await page.locator("#puzzle .remarks", { hasText: "only move that wins" }).waitFor();
  await picture(page, `puzzle-right-${name}`);
  const [width, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert(width <= room, `a puzzle is ${width} wide in ${room}`);
  if (!options.isMobile) {
    const [board, words] = await Promise.all([".board", ".panel"].map((part) => page.locator(`#puzzle ${part}`).boundingBox()));
    assert(words.x >= board.x + board.width, "the words of a puzzle are beside its board");
    assert(words.y + words.height <= page.viewportSize().height, "an answer is seen together with the board");
  }
  if (count > 1) {
    await page.locator("#puzzle button", { hasText: "Next puzzle" }).click();
    await page.locator("#puzzle h1", { hasText: `puzzle 2 of ${count}` }).waitFor();
  }
  await page.context().close();
  console.log(`a puzzle, ${name}`);
}

/** Every variant's puzzles are shown; one is solved by keys, and its solution is shown on request. */
export async function puzzles() {
  const page = await open();
  for (const { rules, count } of await api("")) {
    await page.goto(`${server.url}#puzzle=${rules}&number=${count}`);
    await page.locator("#puzzle h1", { hasText: `puzzle ${count} of ${count}` }).waitFor();
    const { right } = await moves(rules, count);
    await page.locator("#puzzle button", { hasText: "Show the solution" }).click();
    await page.locator("#puzzle .step", { hasText: `The solution is ${right}.` }).waitFor();
    await page.locator("#puzzle button", { hasText: "Try again" }).click();
    assert.equal(await page.evaluate(() => document.activeElement.id), "puzzle", "keys go on at the board");
    await page.locator(`#puzzle [data-vertex="${right}"]`).focus();
    await page.keyboard.press("Enter");
    await page.locator("#puzzle .step", { hasText: `${right} is right.` }).waitFor();
  }
  page.restarting = true; // What is not there is an error on the console.
  await page.goto(`${server.url}#puzzle=chess`);
  await page.locator("#trouble", { hasText: "No puzzle '1' of the variant 'chess'" }).waitFor();
  await page.context().close();
  console.log("all variants' puzzles");
}
