// The laboratory: two rule sets side by side, what differs between them, and the link to it.

import assert from "node:assert/strict";
import { tabTo } from "./accessible.mjs";
import { open, picture, server } from "./harness.mjs";

/** White has just captured D3 in a ko; Black could capture A1 from B1, which Stoical Go forbids. */
const MOVES = "B3 E3 C4 D4 C2 D2 D3 A1 A2 C3".split(" ");

const point = (page, board, vertex) => page.locator(`#board-${board} [data-vertex="${vertex}"]`);

/** Both boards show the last move, and may be played on. */
async function shown(page, vertex) {
  for (const board of ["a", "b"]) await page.locator(`#board-${board} [data-vertex="${vertex}"][aria-label*="last move"]`).waitFor();
}

/** Everything on the points of both boards, as it is read out. */
const labels = (page) => page.locator("#comparison [data-vertex]").evaluateAll((points) => points.map((each) => each.getAttribute("aria-label")));

const choose = (page, kind) => page.locator(`#comparison label:has([value=${kind}])`).click();

/** From the lobby to a ban that one rule set has: every kind of difference, and the way back. */
export async function laboratory(options, name) {
  const page = await open(options);
  await page.goto(server.url);
  await page.click("a[href='#laboratory']");
  await page.locator("#board-a svg").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), "laboratory", "keys go on at its beginning");
  await page.selectOption("#laboratory-size", "5");
  await page.fill("#rules-a", "go");
  await page.fill("#rules-b", "stoical");
  await page.waitForFunction(() => /a=go&b=stoical&size=5&moves=$/.test(location.hash) && document.querySelectorAll("#board-b [aria-disabled=false]").length === 25);
  for (const [index, vertex] of MOVES.entries()) {
    await point(page, index % 2 ? "b" : "a", vertex)[options.hasTouch ? "tap" : "click"]();
    await shown(page, vertex);
  }
  for (const board of ["a", "b"]) {
    assert.equal(await page.locator(`#board-${board} .marks .only`).count(), 1, "one point is legal in one only");
    assert.match(await point(page, board, "B1").getAttribute("aria-label"), /legal under A only/);
    assert.equal(await point(page, board, "B1").getAttribute("aria-disabled"), "true");
    await point(page, board, "B1").click({ force: true });
    assert.match(await page.textContent("#laboratory-message"), /^B1: legal under A only, so it cannot be played\. .*B: .* was a capture/);
  }
  const link = page.url();
  assert(link.endsWith(`moves=${MOVES.join(".")}`), link);
  await page.locator("#laboratory-search", { hasText: "From 256 " }).waitFor();
  assert.match(await page.textContent("#facts-a"), /is ahead: \d+ %|Even/);
  assert.match(await page.textContent("#facts-a"), /Preferred move: \S+/);
  const placements = async (board) => Number((await page.textContent(`#facts-${board}`)).match(/Legal placements: (\d+)/)[1]);
  assert.equal(await placements("a"), (await placements("b")) + 1);
  assert.match(await page.textContent("#difference-words"), /A \d+ %, B \d+ %, difference (0|[+−]\d+) /);
  await picture(page, `laboratory-${name}`);
  await choose(page, "policy");
  await page.locator("#difference-board [data-differs=B1].a", { hasText: "+" }).waitFor();
  await page.locator("#difference-words li", { hasText: "B1: A " }).waitFor();
  await picture(page, `laboratory-policy-${name}`);
  await choose(page, "ownership");
  await page.locator("#difference-words li").first().waitFor();
  await page.locator("#difference-board svg").scrollIntoViewIfNeeded();
  await picture(page, `laboratory-ownership-${name}`);
  await choose(page, "legal");
  await page.locator("#difference-words li", { hasText: /^B1: under A only\. B: .* was a capture/ }).waitFor();
  assert.equal(await page.locator("#difference-board .only.a").count(), 1);
  await picture(page, `laboratory-legal-${name}`);
  const [width, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert(width <= room, `the laboratory is ${width} wide in ${room}`);

  const other = await open(options);
  await other.goto(link.replace("size=5", "size=5x5"));
  await shown(other, MOVES.at(-1));
  await other.selectOption("#laboratory-rows", "5"); // The board is the same, and the moves stay.
  await shown(other, MOVES.at(-1));
  assert.equal(other.url(), link);
  assert.deepEqual(await labels(other), await labels(page), "the link restores both boards");
  assert.deepEqual(await Promise.all(["a", "b"].map((side) => other.inputValue(`#rules-${side}`))), ["go", "stoical"]);
  assert.equal(await other.inputValue("#laboratory-size"), "5");
  await other.context().close();

  await page.selectOption("#laboratory-rows", "5"); // The board is the same, and the moves stay.
  await page.click("#laboratory-undo");
  await shown(page, MOVES.at(-2));
  await page.click("#laboratory-clear");
  await page.waitForFunction(() => document.querySelectorAll("#comparison .stones *").length === 0);
  assert(await page.isDisabled("#laboratory-undo"));
  await page.selectOption("#laboratory-rows", "3");
  await page.waitForFunction(() => /size=5x3&moves=$/.test(location.hash) && document.querySelectorAll("#board-b [aria-disabled=false]").length === 15);
  const oblong = await open(options);
  await oblong.goto(page.url());
  await oblong.locator("#board-a svg").waitFor();
  assert.deepEqual(await Promise.all(["size", "rows"].map((side) => oblong.inputValue(`#laboratory-${side}`))), ["5", "3"]);
  await oblong.context().close();
  await page.selectOption("#laboratory-rows", "");
  await page.click("#laboratory details:has(#parts-b) summary");
  await page.locator("#parts-b [data-part=variant] button", { hasText: /^tile$/ }).click();
  await page.locator("#title-b", { hasText: "B: Tile Go" }).waitFor();
  assert(await page.isDisabled("#laboratory-pass"), "Tile Go has no passing");
  await page.fill("#rules-b", "tiel");
  await page.locator("#verdict-b.error", { hasText: "tile" }).waitFor();
  assert.equal(await page.locator("#comparison [aria-disabled=false]").count(), 0, "nothing is played while a text is no rule set");
  page.restarting = true; // A refused move is an error on the console.
  await page.goto(`${server.url}#laboratory&a=go&b=go&size=5&moves=C3.C3`);
  await page.locator("#laboratory-message", { hasText: "Under go, turn 2, C3" }).waitFor();
  assert(await page.isHidden("#comparison"));
  await page.goto(`${server.url}#laboratory&a=tiel&b=go&size=5&moves=C3`);
  await page.locator("#verdict-a.error", { hasText: "tile" }).waitFor();
  assert.equal(await page.textContent("#laboratory-message"), "", "what was refused before is not said of another comparison");
  await page.goBack();
  await page.locator("#laboratory-message", { hasText: "Under go, turn 2, C3" }).waitFor();
  await page.click("#laboratory-undo");
  await shown(page, "C3");
  await page.context().close();
  console.log(`the laboratory, ${name}`);
}

/** Where two moves share a point under both rule sets, either can be chosen, and Escape plays neither. */
export async function sharedPoint() {
  const page = await open();
  const moves = "D1 A4 D2 A3 D4 D3 D5 B3".split(" ");
  await page.goto(`${server.url}#laboratory&a=conquest&b=conquest,komi=5&size=5&moves=${moves.join(".")}`);
  await shown(page, moves.at(-1));
  await point(page, "b", "E3").click();
  const offered = page.locator("#laboratory-choice button");
  assert.deepEqual(await offered.evaluateAll((buttons) => buttons.map((each) => each.dataset.move)), ["E3", "E3*"]);
  await page.keyboard.press("Escape");
  assert(await page.isHidden("#laboratory-choice"));
  await point(page, "b", "E3").click();
  await offered.nth(1).click();
  await shown(page, "E3");
  assert(new URLSearchParams(page.url().split("#")[1]).get("moves").endsWith(".E3*"), page.url());
  assert(await page.isHidden("#laboratory-choice"));
  await page.context().close();
  console.log("moves that share a point, in the laboratory");
}

/** A turn without a stone is called what it is where both rule sets call it the same. */
export async function withoutStone() {
  const page = await open();
  for (const [pair, name] of [["a=tile&b=cushion", "Return a prisoner"], ["a=go&b=go,stones_per_turn=2", "Pass"], ["a=go,stones_per_turn=2&b=go,stones_per_turn=3", "End the turn"]]) {
    await page.goto(`${server.url}#laboratory&${pair}&size=5&moves=C3.D3`);
    await page.locator("#laboratory-pass", { hasText: name }).waitFor();
  }
  await page.context().close();
  console.log("turns without a stone, in the laboratory");
}

/** A move, another map and the way back, without a mouse. */
export async function laboratoryByKeys() {
  const page = await open();
  await page.goto(server.url);
  await page.locator("#variants a").first().waitFor();
  await tabTo(page, "a[href='#laboratory']");
  await page.keyboard.press("Enter");
  await page.locator("#board-b svg").waitFor();
  await tabTo(page, "#board-b [data-vertex]");
  for (const key of ["ArrowUp", "ArrowUp", "ArrowRight", "Enter"]) await page.keyboard.press(key);
  await shown(page, "B3");
  assert.equal(await page.evaluate(() => document.activeElement.closest("#board-b") && document.activeElement.dataset.vertex), "B3", "the focus stays where the stone was placed");
  await tabTo(page, "[name=map]");
  for (let count = 0; count < 3; count += 1) await page.keyboard.press("ArrowRight");
  await page.locator("#difference-words", { hasText: "may be played" }).waitFor();
  await page.context().close();
  console.log("the laboratory without a mouse");
}

/** The final board is estimated once for each position, whatever else is searched longer. */
export async function estimatedOnce() {
  const page = await open();
  await page.goto(`${server.url}#laboratory&a=go&b=tile&size=5&moves=C3`);
  await page.locator("#laboratory-search", { hasText: "From 256 " }).waitFor();
  await choose(page, "ownership");
  const estimate = page.locator("#difference-words", { hasText: "How much likelier Black is to hold a point" });
  await estimate.waitFor();
  const wanted = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/api/laboratory")) wanted.push(request.postDataJSON().occupancy);
  });
  await point(page, "a", "D3").click();
  await shown(page, "D3");
  await page.locator("#laboratory-search", { hasText: "From 256 " }).waitFor();
  assert.deepEqual(wanted, [true, false, false]);
  assert(await estimate.isVisible(), "it is still shown");
  await page.context().close();
  console.log("the laboratory estimates once");
}

/** A search that is refused takes nothing away that is known, and can be asked for again. */
export async function refused() {
  const page = await open();
  page.restarting = true; // A refused request is an error on the console.
  await page.goto(`${server.url}#laboratory&a=go&b=tile&size=5&moves=C3`);
  await page.locator("#laboratory-search", { hasText: "From 256 " }).waitFor();
  const address = "**/api/laboratory";
  const refuse = (route) => route.fulfill({ status: 429, json: { error: { code: "too_many_simulations", message: "not so fast" } } });
  await page.route(address, refuse);
  await choose(page, "ownership");
  await page.locator("#laboratory-message", { hasText: "Not so fast." }).waitFor();
  assert(await page.isVisible("#board-a"), "the boards stay");
  assert.equal(await page.locator("#board-a [aria-disabled=false]").count(), 24, "and can be played on");
  await page.unroute(address);
  await choose(page, "value");
  await choose(page, "ownership");
  await page.locator("#difference-words", { hasText: "How much likelier Black is to hold a point" }).waitFor();
  await page.route(address, refuse);
  await point(page, "a", "D3").click();
  await page.locator("#laboratory-retry").waitFor();
  assert(await page.isHidden("#comparison"), "nothing is known of the new position");
  await page.unroute(address);
  await page.click("#laboratory-retry");
  await shown(page, "D3");
  assert(await page.isHidden("#laboratory-retry"));
  assert.equal(await page.evaluate(() => document.activeElement.id), "laboratory", "keys go on at its beginning");
  const checks = /\/api\/rules\?/;
  await page.route(checks, (route) => route.abort());
  await page.fill("#rules-b", "stoical");
  await page.locator("#verdict-b", { hasText: "The server cannot be reached." }).waitFor();
  await page.unroute(checks);
  await page.click("#laboratory-retry");
  await page.locator("#title-b", { hasText: "B: Stoical" }).waitFor();
  await page.context().close();
  console.log("a refused search in the laboratory");
}

/** Playouts for which there was no time are not waited for, and neither is a search of a position that nobody looks at. */
export async function unfinished() {
  const page = await open();
  const address = "**/api/laboratory";
  await page.route(address, async (route) => {
    const response = await route.fetch();
    const found = await response.json();
    for (const { opinion } of found.boards) opinion.occupancy = null;
    await route.fulfill({ response, json: found });
  });
  await page.goto(`${server.url}#laboratory&a=go&b=tile&size=5&moves=C3`);
  await page.locator("#laboratory-search", { hasText: "From 256 " }).waitFor();
  await choose(page, "ownership");
  await page.locator("#difference-words", { hasText: "There was no time to play the game out." }).waitFor();
  await page.unroute(address);
  await page.route(address, () => {}); // It is never answered.
  const sent = page.waitForRequest(address);
  const aborted = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/laboratory"));
  await point(page, "a", "D3").click();
  await sent;
  await page.evaluate(() => { location.hash = "example=tile"; });
  await aborted;
  await page.context().close();
  console.log("the laboratory without time, and left");
}
