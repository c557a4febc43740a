// Whole games, what the program shows of its thoughts, and what outlives a reload.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { begin, compare, data, idOf, isOver, open, picture, server, start, stop, told, turn } from "./harness.mjs";

export async function wholeGame({ rules, size, rows, how, color, options }) {
  const page = await open(options);
  await page.goto(server.url);
  await begin(page, { rules, size, rows, color });
  assert.equal(await page.textContent("#standing"), "You to move");
  let number = 1;
  for (; !(await isOver(page)); number += 1) {
    assert(number < 400, `${rules} does not end`);
    await turn(page, how, number);
    if (number % 5 === 0) await compare(page);
    if (number === 6) await picture(page, `${rules}-${how}`);
  }
  const state = await compare(page);
  assert(state.result !== null);
  const standing = state.result === "draw" ? /^Draw/ : state.result === color ? /^You won/ : /^You lost/;
  assert.match(await page.textContent("#standing"), standing);
  await picture(page, `${rules}-${how}-end`);
  const width = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert(width[0] <= width[1], `${rules}: the page is ${width[0]} wide in ${width[1]}`);
  await page.context().close();
  console.log(`${rules} ${size}×${rows ?? size} by ${how}: ${state.result} after ${number - 1} turns of ours`);
}

/** Points out why a stone cannot be placed, and what the program thinks. */
export async function overlays() {
  const page = await open();
  await page.goto(server.url);
  await begin(page, { rules: "tile", size: 7, level: 4 });
  for (let number = 1; number <= 12; number += 1) await turn(page, "mouse", number);
  const { illegal, state } = await told(page);
  const [vertex, reason] = Object.entries(illegal)[0];
  await page.mouse.move(0, 0); // It may rest on that very point, and only who comes to a point is told.
  await page.locator(`[data-vertex="${vertex}"]`).hover();
  await page.locator("#message", { hasText: reason }).waitFor();
  await page.click("#policy");
  await page.locator("#board [data-heat]").first().waitFor();
  await page.locator("#opinion", { hasText: "It would play" }).waitFor();
  await page.click("#course");
  await page.locator("#graph svg").waitFor();
  assert.equal(await page.locator("#graph .curve").count(), 1);
  await picture(page, "overlay-policy");
  await page.click("#policy");
  assert.equal(await page.locator("#board [data-heat]").count(), 0);
  await page.click("#occupancy");
  await page.locator("#board [data-final]").first().waitFor();
  await picture(page, "overlay-final");
  assert.equal(await page.locator("#graph .dot").count(), 25);
  await page.click("#occupancy");

  const stones = state.stones.join();
  const moves = await page.locator("#moves li").count();
  await page.click("#undo");
  await page.waitForFunction((count) => document.querySelectorAll("#moves li").length === count, moves - 2);
  assert.notEqual((await told(page)).state.stones.join(), stones);
  await compare(page);
  return page;
}

export async function reloadAndRestart(page) {
  const before = await told(page);
  await page.reload();
  await page.locator("#board svg").waitFor();
  await compare(page);
  page.restarting = true;
  await stop();
  await page.locator("#remarks", { hasText: "cannot be reached" }).waitFor();
  await start(new URL(server.url).port);
  await page.waitForFunction(() => !document.getElementById("remarks").textContent.includes("cannot be reached"));
  page.restarting = false;
  assert.deepEqual((await told(page)).state, before.state);
  await turn(page, "mouse", 5);
  await compare(page);
  console.log("reload and restart: nothing lost");
}

export async function records(page) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#download")]);
  const file = join(data, "game.sgf");
  await download.saveAs(file);
  assert.match(readFileSync(file, "utf8"), /^\(;GM\[1\]FF\[4\]/);
  const before = await told(page);
  const old = page.url();
  await page.click("#new");
  await page.selectOption("#variant", "tile");
  await page.check("input[name=opponent][value=here]", { force: true });
  await page.click(".upload summary");
  await page.setInputFiles("#file", file);
  await page.click("#start");
  await page.waitForFunction((url) => location.href !== url, old);
  await page.waitForFunction((count) => document.querySelectorAll("#moves li").length === count, before.moves.length);
  assert.deepEqual((await told(page)).state.stones, before.state.stones);
  await page.click("#resign");
  await page.click("#resign");
  await page.locator("#standing", { hasText: "resigned" }).waitFor();
  await page.context().close();
  console.log("SGF out and in, resignation");
}

/** A file that was cut off is played on as far as it goes, and the page says so; its encoding is found out. */
export async function damagedFile() {
  const page = await open();
  await page.goto(server.url);
  await page.click("#new");
  await page.check("input[name=opponent][value=here]", { force: true });
  await page.click(".upload summary");
  // In Shift-JIS, where the second byte of the player's name is that of a bracket.
  const buffer = Buffer.from("(;SZ[5]RU[go]PB[\x83\x5d];B[aa];W[bb];B[cc", "latin1");
  await page.setInputFiles("#file", { name: "damaged.sgf", mimeType: "application/x-go-sgf", buffer });
  await page.click("#start");
  await page.locator("#remarks", { hasText: "This is what could be read of the file. Damaged: " }).waitFor();
  await page.waitForFunction(() => document.querySelectorAll("#moves li").length === 2);
  await page.context().close();
  console.log("a damaged file");
}

export async function twoPeople() {
  const [host, guest, watcher] = [await open(), await open(), await open()];
  await host.goto(server.url);
  await begin(host, { rules: "incursion", size: 9, opponent: "elsewhere", color: "W" });
  await guest.goto(await host.inputValue("#link"));
  await watcher.goto(server.url + (await host.getAttribute("#watch", "href")));
  for (const page of [guest, watcher]) await page.locator("#board svg").waitFor();
  assert.equal(await host.locator("[aria-disabled=false]").count(), 0, "it is not the host's turn");
  assert.equal(await watcher.locator("[aria-disabled=false]").count(), 0, "a watcher cannot play");
  assert.equal(await watcher.locator("#resign").isVisible(), false);
  const standings = () => Promise.all([host, guest, watcher].map((page) => page.textContent("#standing")));
  assert.deepEqual(await standings(), ["Your opponent to move", "You to move", "Black to move"]);
  await host.hover('[data-vertex="A1"]');
  await host.locator("#message", { hasText: "Your opponent to move" }).waitFor();
  await guest.click('[data-vertex="E5"]');
  for (const page of [host, watcher]) await page.locator("#moves li", { hasText: "E5" }).waitFor();
  await host.click('[data-vertex="D4"]');
  for (const page of [guest, watcher]) await page.locator("#remarks", { hasText: "incursion" }).waitFor();
  await compare(watcher);
  await picture(host, "two-people");
  await guest.click("#resign");
  await guest.click("#resign");
  for (const page of [host, watcher]) await page.locator("#standing", { hasText: "resigned" }).waitFor();
  assert.deepEqual(await standings(), ["You won: your opponent resigned", "You lost: you resigned", "White wins: Black resigned"]);
  const old = host.url();
  await host.click("#previous");
  await host.click("#branch");
  await host.waitForFunction((url) => location.href !== url, old);
  const seats = new URLSearchParams(new URL(host.url()).hash.slice(1));
  assert.deepEqual(["B", "W", "invite"].map((name) => seats.has(name)), [false, true, true], "the other seat is given away again");
  for (const page of [host, guest, watcher]) await page.context().close();
  console.log("two people and somebody who watches");
}

/** Whoever comes by a link that was cut off within the seat is told so, not what programs have to send. */
export async function cutLink() {
  const [host, guest] = [await open(), await open()];
  guest.restarting = true; // A refused request is an error on the console.
  await host.goto(server.url);
  await begin(host, { rules: "go", size: 5, opponent: "elsewhere", color: "W" });
  await guest.goto((await host.inputValue("#link")).slice(0, -1));
  await guest.locator("#board svg").waitFor();
  await guest.mouse.move(0, 0); // To point at the board would take the message away.
  await guest.locator('[data-vertex="C3"]').press("Enter");
  await guest.locator("#message", { hasText: "This link gives no seat in this game" }).waitFor();
  for (const page of [host, guest]) await page.context().close();
  console.log("a link that was cut off");
}

/** Makes a page believe that it is hidden, as windows behind others are, or visible again. */
const see = (page, isSeen) => page.evaluate((hidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}, !isSeen);

/** Pages that nobody sees hold none of a browser's six connections to a host, and are up to date when they are seen again. */
export async function manyPages() {
  const first = await open();
  await first.goto(server.url);
  await begin(first, { rules: "go", size: 5, opponent: "here" });
  // A page that nobody sees asks now and then, which must not be taken for hearing of it at once.
  const glances = "**/api/games/*";
  await first.route(glances, () => {}); // It is never answered: to refuse it would be an error on the console.
  const pages = [first];
  while (pages.length < 8) {
    await see(pages.at(-1), false);
    const page = await first.context().newPage();
    await page.goto(first.url());
    await page.locator("#board svg").waitFor();
    pages.push(page);
  }
  await pages.at(-1).click('[data-vertex="C3"]');
  await pages.at(-1).locator("#moves li", { hasText: "C3" }).waitFor();
  assert.equal(await first.locator("#moves li").count(), 0, "a page that nobody sees hears nothing");
  await first.unroute(glances);
  await see(first, true);
  await first.locator("#moves li", { hasText: "C3" }).waitFor();
  await first.context().close();
  console.log(`one game in ${pages.length} pages`);
}

/** A position is no longer shown if other turns were played in its place while nobody saw the page. */
export async function otherTurns() {
  const page = await open();
  await page.goto(server.url);
  await begin(page, { rules: "go", size: 5, opponent: "here" });
  for (const vertex of ["A1", "B1", "C3"]) {
    await page.click(`[data-vertex="${vertex}"]`);
    await page.locator("#moves li", { hasText: vertex }).waitFor();
  }
  await page.click("#previous");
  await page.locator("#count", { hasText: "2 of 3" }).waitFor();
  await see(page, false);
  const seats = new URLSearchParams(new URL(page.url()).hash.slice(1));
  const act = async (side, action, body = {}) => {
    const headers = { Authorization: `Bearer ${seats.get(side)}`, "Content-Type": "application/json" };
    const answer = await fetch(`${server.url}api/games/${idOf(page)}/${action}`, { method: "POST", headers, body: JSON.stringify(body) });
    assert.equal(answer.status, 200);
  };
  await act("B", "undo");
  await act("W", "undo");
  for (const [side, move] of [["W", "D4"], ["B", "E5"], ["W", "D2"]]) await act(side, "moves", { move });
  await see(page, true);
  await page.locator("#count", { hasText: "4 of 4" }).waitFor();
  assert.equal(await page.locator("#board .stones .stone").count(), 4);
  await page.context().close();
  console.log("other turns in place of the shown ones");
}

/** What is refused in one game is not said in another one that was opened meanwhile. */
export async function lateRefusal() {
  const page = await open();
  page.restarting = true; // A refused request is an error on the console.
  await page.goto(server.url);
  for (const size of [5, 4]) await begin(page, { rules: "go", size, opponent: "here" });
  await page.route("**/moves", async (route) => {
    await page.locator("#title", { hasText: "5 × 5" }).waitFor();
    await route.fulfill({ status: 429, json: { error: { code: "too_many_requests", message: "not so fast" } } });
  });
  await page.mouse.move(0, 0); // To point at the board would take the message away.
  await page.locator('[data-vertex="C3"]').press("Enter");
  await page.goBack();
  await page.locator('[data-vertex="E5"][aria-disabled=false]').waitFor(); // It is, once the answer is there.
  assert.doesNotMatch(await page.textContent("#message"), /fast/);
  await page.context().close();
  console.log("a refusal that comes late");
}

/** An answer that is not the server's, or not the whole of it, is no answer. */
export async function cutAnswer() {
  const page = await open();
  await page.goto(server.url);
  await begin(page, { rules: "go", size: 5, opponent: "here" });
  await page.route("**/moves", (route) => route.fulfill({ status: 200, contentType: "application/json", body: '{"id": ' }));
  await page.mouse.move(0, 0); // To point at the board would take the message away.
  await page.locator('[data-vertex="C3"]').press("Enter");
  await page.locator("#message", { hasText: "The server cannot be reached." }).waitFor();
  await page.context().close();
  console.log("an answer that is cut off");
}

/** A refused opinion is not said to be on its way, whatever else happens. */
export async function refusedOpinion() {
  const page = await open();
  page.restarting = true; // A refused request is an error on the console.
  await page.goto(server.url);
  await begin(page, { rules: "go", size: 5, opponent: "here" });
  await page.route("**/analysis?*", (route) => route.fulfill({ status: 429, json: { error: { code: "too_many_simulations", message: "not so fast" } } }));
  await page.click("#policy");
  const refused = page.locator("#opinion", { hasText: "Not so fast." });
  await refused.waitFor();
  await page.locator("#black .name").evaluate((name) => { name.dataset.old = "yes"; });
  await see(page, true); // It follows the game anew, and draws everything once it does.
  await page.locator("#black .name:not([data-old])").waitFor();
  assert(await refused.isVisible(), "it was not asked for again");
  await page.unroute("**/analysis?*");
  await page.click('[data-vertex="C3"]');
  await page.locator("#opinion", { hasText: "It would" }).waitFor();
  await page.context().close();
  console.log("a refused opinion");
}

/** A server that refuses the stream of events is not away: the game is asked for instead, and if that is refused, it is said why. */
export async function refusedStream() {
  const page = await open();
  page.restarting = true; // A refused request is an error on the console.
  await page.goto(server.url);
  await begin(page, { rules: "go", size: 5, opponent: "here" });
  const refuse = (message) => (route) => route.fulfill({ status: 429, json: { error: { code: "too_many", message } } });
  const game = `**/api/games/${idOf(page)}`;
  await page.route(/\/events\?/, refuse("too many streams"));
  await page.route(game, refuse("not so fast"));
  await see(page, true); // It follows the game anew.
  await page.locator("#remarks", { hasText: "Not so fast." }).waitFor();
  assert.doesNotMatch(await page.textContent("#remarks"), /cannot be reached/);
  await page.unroute(game);
  await page.route(game, (route) => route.fulfill({ status: 502, body: "<h1>Bad Gateway</h1>" }));
  await page.locator("#remarks", { hasText: "The server cannot be reached; trying again" }).waitFor();
  await page.unroute(game);
  await page.waitForFunction(() => !document.getElementById("remarks").textContent.includes("cannot"));
  const token = new URLSearchParams(new URL(page.url()).hash.slice(1)).get("B");
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  await fetch(`${server.url}api/games/${idOf(page)}/moves`, { method: "POST", headers, body: JSON.stringify({ move: "C3" }) });
  await page.locator("#moves li", { hasText: "C3" }).waitFor();
  assert.doesNotMatch(await page.textContent("#remarks"), /cannot be reached/);
  await page.context().close();
  console.log("a refused stream of events");
}

/** The graph of one game is not shown beside the next one. */
export async function nextGraph() {
  const page = await open();
  await page.goto(server.url);
  await begin(page, { rules: "go", size: 5, opponent: "here" });
  await page.click('[data-vertex="C3"]');
  await page.click("#course");
  await page.locator("#graph .dot").nth(1).waitFor();
  const graphs = "**/graph";
  await page.route(graphs, () => {}); // It is never answered.
  await begin(page, { rules: "go", size: 5, opponent: "here" });
  await page.waitForFunction(() => document.querySelectorAll("#moves li").length === 0);
  assert.equal(await page.locator("#graph").isVisible(), false);
  await page.unroute(graphs);
  await page.click('[data-vertex="C3"]');
  await page.locator("#graph .dot").nth(1).waitFor();
  await page.context().close();
  console.log("each game has its own graph");
}

/** While a program tries again, which may take long, the turn before can be taken back. If it may not try, what is shown stays. */
export async function tryAgain() {
  const page = await open();
  page.restarting = true; // A refused request is an error on the console.
  await page.goto(server.url);
  await begin(page, { rules: "go", size: 5 });
  await turn(page, "mouse", 1);
  const view = JSON.stringify({ ...(await told(page)), trouble: "the search failed" });
  await page.route(/\/events\?/, (route) => route.fulfill({ contentType: "text/event-stream", body: `event: game\ndata: ${view}\n\n` }));
  await page.reload();
  await page.click("#policy");
  await page.locator("#board [data-heat]").first().waitFor();
  await page.route("**/reply", (route) => route.fulfill({ status: 503, json: { error: { code: "busy", message: "not so fast" } } }));
  await page.click("#retry");
  await page.locator("#message", { hasText: "Not so fast." }).waitFor();
  assert((await page.locator("#board [data-heat]").count()) > 0, "the program's opinion is still on the board");
  await page.unroute("**/reply");
  await page.route("**/reply", () => {}); // It is never answered.
  await page.click("#retry");
  await page.click("#undo");
  await page.waitForFunction(() => document.querySelectorAll("#moves li").length === 0);
  await page.context().close();
  console.log("a turn is taken back while the program tries again");
}
