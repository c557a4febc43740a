// What the page teaches: the way of a newcomer, examples, causes and effects, and going back in a game.

import assert from "node:assert/strict";
import { begin, isOver, open, picture, server, settled, told, turn } from "./harness.mjs";

const remarks = (page) => page.textContent("#remarks");
const point = (page, vertex) => page.locator(`#board [data-vertex="${vertex}"]`);

/** Plays moves for both sides. */
async function place(page, ...vertices) {
  for (const vertex of vertices) {
    const before = await page.locator("#moves li").count();
    await point(page, vertex).click();
    await page.waitForFunction((count) => document.querySelectorAll("#moves li").length === count + 1, before);
  }
}

/** Points at a point that was not pointed at before, by hand or by the keyboard's focus. */
async function pointAt(page, vertex) {
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.activeElement.blur());
  await point(page, vertex).hover();
  await point(page, vertex).focus();
}

async function fits(page, where) {
  const [width, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert(width <= room, `${where}: the page is ${width} wide in ${room}`);
}

/** From the address to the first stone: the rule understood from its example, in at most four clicks; then a review. */
export async function newcomer(options, name) {
  const page = await open(options);
  let clicks = 0;
  const click = async (target) => { clicks += 1; await page.locator(target).click(); };
  await page.goto(server.url);
  await page.locator("#variants a").first().waitFor();
  await fits(page, "the lobby");
  await click("#variants a[href='#example=tile']");
  await page.locator("#lesson-words", { hasText: "That was an incursion: Black's next stone gets a tile" }).waitFor();
  assert.equal(await page.locator("#lesson-board .tile").count(), 0);
  await click("#lesson-next");
  await page.locator("#lesson-words", { hasText: "So Black's D2 stands on a tile" }).waitFor();
  assert.equal(await page.locator("#lesson-board .tile").count(), 1);
  await fits(page, "an example");
  await picture(page, `example-${name}`);
  await click("#lesson-play");
  await settled(page);
  assert(clicks <= 4, `${clicks} clicks before the first stone`);
  assert.equal(await page.locator("#rules-text").isVisible(), true, "the rules are open for newcomers");
  for (let number = 1; number <= 4; number += 1) await turn(page, options.hasTouch ? "touch" : "mouse", number);
  await page.click("#resign");
  await page.click("#resign");
  await page.locator("#standing", { hasText: "You lost" }).waitFor();
  await page.click("#review");
  await page.locator("#graph .curve").waitFor();
  await page.locator("#previous").click();
  await page.locator("#count", { hasText: "7 of 8" }).waitFor();
  await fits(page, "a review");
  await picture(page, `review-${name}`);
  await page.context().close();
  console.log(`a newcomer, ${name}: ${clicks} clicks before the first stone`);
}

/** Every example can be gone through by keys, and played on from. */
export async function examples() {
  const page = await open();
  const all = await (await fetch(`${server.url}api/examples`)).json();
  await page.goto(server.url);
  for (const { rules, opens, steps, refused } of all) {
    await page.goto(`${server.url}#example=${rules}`);
    await page.locator("#lesson-count", { hasText: `${opens + 1} of ${steps.length}` }).waitFor();
    await page.keyboard.press("Home");
    for (const [number, step] of steps.entries()) {
      await page.locator("#lesson-count", { hasText: `${number + 1} of` }).waitFor();
      const stones = step.state.stones.join("").replaceAll(".", "").length;
      assert.equal(await page.locator("#lesson-board .stones .stone").count(), stones, `${rules} ${number}`);
      await page.keyboard.press("ArrowRight");
    }
    assert.equal(await page.locator("#lesson-board .ghost .cross").count(), refused ? 1 : 0, rules);
  }
  await page.goto(`${server.url}#example=incursion`);
  await page.click("#lesson-last");
  await page.click("#lesson-on");
  await page.locator("#board svg").waitFor();
  await settled(page);
  assert.equal(await page.locator("#moves li").count(), 1);
  assert.equal(await page.locator("#board .ban").count(), 2, "the bans in force are drawn");
  await point(page, "A5").hover();
  await page.locator("#message", { hasText: "your opponent's last move was an incursion".slice(5) }).waitFor();
  assert.match(await point(page, "A5").getAttribute("aria-label"), /forbidden now/);
  await page.context().close();
  console.log("all examples, and playing on from one");
}

/** A stone shows what it would do before it is placed, and what it has done is said. */
export async function causes(options, name) {
  const page = await open(options);
  await page.goto(server.url);
  await begin(page, { rules: "tile", size: 5, opponent: "here" });
  await place(page, "C3", "A1");
  assert.match(await remarks(page), /That was an incursion: Black's next stone gets a tile/);
  await pointAt(page, "D2");
  assert.equal(await page.locator("#board .ghost .tile").count(), 1);
  assert.match(await page.textContent("#message"), /D2: puts down a tile under its stone/);
  await picture(page, `tile-ghost-${name}`);
  await place(page, "D2");
  assert.match(await remarks(page), /D2 has got a tile, because it followed an incursion/);

  await begin(page, { rules: "conquest", size: 6, opponent: "here" });
  await place(page, "A3", "A1", "B2", "E5");
  await pointAt(page, "C1");
  assert.equal(await page.locator("#board .ghost .owner").count(), 3);
  assert.equal(await page.locator("#board .ghost .cross").count(), 1);
  assert.match(await page.textContent("#message"), /C1: makes 3 points yours and captures 1 stone/);
  await picture(page, `conquest-ghost-${name}`);
  await place(page, "C1");
  assert.match(await remarks(page), /Black conquered 3 points and captured 1 stone/);
  assert.equal(await page.locator("#board .removed").count(), 1);
  await picture(page, `conquest-${name}`);

  await begin(page, { rules: "hot-stone", size: 5, opponent: "here" });
  await place(page, "C4", "D4", "B3", "C3", "C2", "D2", "A1", "E3", "D3");
  assert.match(await remarks(page), /D3 was a ko play, so its stone is hot/);
  await pointAt(page, "D3");
  assert.match(await page.textContent("#message"), /D3: A hot stone: /);
  assert.equal(await page.locator("#board .ban").count(), 1, "the stone may not be taken back");
  await picture(page, `hot-ko-${name}`);
  await fits(page, "a game");
  await page.context().close();
  console.log(`causes and effects, ${name}`);
}

/** The record, the graph, buttons and keys lead through a game; it branches, and is played again. */
export async function review() {
  const page = await open();
  await page.goto(server.url);
  await begin(page, { rules: "atari-go", size: 5, color: "B" });
  for (let number = 1; !(await isOver(page)); number += 1) await turn(page, "mouse", number);
  const { moves, state } = await told(page);
  const stones = () => page.locator("#board .stones .stone").count();
  const at = (number) => page.locator("#count", { hasText: new RegExp(`^${number} of ${moves.length}$`) }).waitFor();
  await page.click("#moves li:nth-child(2) button");
  await at(2);
  assert.equal(await stones(), 2);
  assert.equal(await page.locator("#moves [aria-current]").textContent(), moves[1].move);
  assert.equal(await page.locator("[aria-disabled=false][data-vertex]").count(), 0, "the past cannot be played on");
  await page.keyboard.press("ArrowRight");
  await at(3);
  await page.keyboard.press("Home");
  await at(0);
  assert.equal(await stones(), 0);
  await page.click("#next");
  await at(1);
  await page.click("#policy");
  await page.locator("#board [data-heat]").first().waitFor();
  await page.click("#course");
  await page.locator("#graph .curve").waitFor();
  const graph = await page.locator("#graph svg").boundingBox();
  await page.mouse.click(graph.x + graph.width - 12, graph.y + graph.height / 2);
  await at(moves.length);
  assert.deepEqual((await told(page)).state, state);
  await page.click("#moves li:nth-child(2) button");
  await at(2);
  const old = page.url();
  await page.click("#branch");
  await page.waitForFunction((url) => location.href !== url, old);
  await settled(page);
  assert.deepEqual((await told(page)).moves, moves.slice(0, 2), "a branch begins where it left the game");
  await page.goBack();
  await at(moves.length);
  await page.click("#rematch");
  await page.waitForFunction((url) => location.href !== url, old);
  await settled(page);
  assert.equal((await told(page)).players.W.kind, "person", "the colours are changed");
  await page.context().close();
  console.log("a game is gone through, branches, and is played again");
}

/** Steps add up before they are answered, and the last of them counts, whatever is answered last. */
async function quickSteps(page) {
  const counted = (number) => page.locator("#count", { hasText: `${number} of 8` }).waitFor();
  let delay = 800;
  await page.route("**/positions/*", async (route) => {
    await page.waitForTimeout((delay /= 2));
    await route.continue();
  });
  await page.click("#last");
  await counted(8);
  for (let step = 0; step < 3; step += 1) await page.click("#previous");
  await counted(5);
  await page.waitForTimeout(500);
  await counted(5);
  await page.click("#previous");
  await page.click("#last");
  await counted(8);
  await page.waitForTimeout(200);
  await counted(8);
  assert.equal(await page.locator("#live").isVisible(), false, "the game as it is now");
}

/** The turns that cost most are listed with what was better, and lead to the positions before them. */
export async function swings() {
  const page = await open();
  await page.goto(server.url);
  await begin(page, { rules: "go", size: 3, opponent: "here" });
  await place(page, "A1", "B1", "C3", "B2", "A2", "B3", "A3", "C1"); // A3 removes three stones of its own.
  await page.click("#resign");
  await page.click("#resign");
  await page.click("#review");
  const listed = page.locator("#swings button", { hasText: /^7. Black A3 cost \d+ %; better was/ });
  await listed.waitFor();
  await page.click("#previous");
  await page.locator("#count", { hasText: "7 of 8" }).waitFor();
  assert.equal(await page.locator("#board .removed").count(), 3);
  await listed.click();
  await page.locator("#count", { hasText: "6 of 8" }).waitFor();
  assert(await page.evaluate(() => document.getElementById("swings").contains(document.activeElement)), "keys go on in the list");
  await picture(page, "review-swings");
  await quickSteps(page);
  await page.context().close();
  console.log("the turns that cost most, and what was better");
}

/** A second click before a new game is there starts no other one. */
export async function doubleClicks() {
  const page = await open();
  const starts = /\/api\/games(\/import)?$/;
  let started = 0;
  await page.route(starts, async (route) => {
    started += 1;
    await page.waitForTimeout(300);
    await route.continue();
  });
  const twice = async (button) => {
    const [old, before] = [page.url(), started];
    await page.dblclick(button);
    await page.waitForFunction((url) => location.href !== url, old);
    await settled(page);
    assert.equal(started, before + 1, button);
  };
  await page.goto(`${server.url}#example=go`);
  await page.locator("#lesson-board svg").waitFor();
  await twice("#lesson-play");
  await turn(page, "mouse", 1);
  await page.click("#previous");
  await twice("#branch");
  await page.click("#resign");
  await page.click("#resign");
  await twice("#rematch");
  await page.goto(`${server.url}#example=incursion`);
  await page.click("#lesson-last");
  await twice("#lesson-on");
  await page.context().close();
  console.log("clicked twice, started once");
}
