// Where games begin: the page without a game, the dialog, own rule sets, and what a browser remembers of them.

import assert from "node:assert/strict";
import { begin, beginNow, compare, dialog, elsewhere, isOver, open, picture, server, settled, told, turn } from "./harness.mjs";

/** Without a game there is everything that can be played, and the dialog can be left. */
export async function escape(options, name) {
  const page = await open(options);
  await page.goto(server.url);
  await page.locator("#variants a").first().waitFor();
  assert.equal(await page.locator("#variants a:not(.puzzles), #variants button").count(), 14);
  assert.equal(await page.locator("#again").isVisible(), false, "there is no last game");
  assert.equal(await page.locator("#variants a > svg").count(), 13, "a picture for each variant");
  await picture(page, `welcome-${name}`);
  await dialog(page);
  await picture(page, `opening-${name}`);
  await page.keyboard.press("Escape");
  await page.locator("#opening").waitFor({ state: "hidden" });
  await page.locator("#variants a", { hasText: "Cushion" }).click();
  await page.click("#lesson-more");
  assert.equal(await page.inputValue("#variant"), "cushion");
  await page.click("#close");
  await page.click("#lesson-more");
  await page.goBack();
  await page.locator("#opening").waitFor({ state: "hidden" });
  await page.locator("#variants button", { hasText: "Your own" }).click();
  assert.equal(await page.locator("#own").isVisible(), true);
  await page.goto(`${server.url}#game=${"0".repeat(32)}`);
  page.restarting = true; // The browser itself complains about the answer 404.
  await page.reload();
  await page.locator("#trouble", { hasText: "No such game" }).waitFor();
  assert.equal(await page.locator("#variants a").first().isVisible(), true);
  await page.context().close();
  console.log(`without a game, ${name}: nothing is empty`);
}

/** What the dialog needs takes a while, and until then there is no button that does nothing. */
export async function early() {
  const page = await open();
  await page.route("**/api/variants", async (route) => {
    await page.waitForTimeout(500);
    await route.continue();
  });
  await page.goto(server.url);
  assert(await page.isDisabled("#new"));
  await page.click("#new"); // As soon as that is possible.
  await page.locator("#opening").waitFor();
  await page.context().close();
  console.log("a game is begun as soon as that is possible");
}

/** Whoever leaves before a new game has begun is not fetched back by it. */
export async function left() {
  const page = await open();
  const starts = /\/api\/games(\/import)?$/;
  await page.route(starts, async (route) => {
    await page.waitForTimeout(1000);
    await route.continue();
  });
  const leaving = async (button, leave) => {
    const answered = page.waitForResponse(starts);
    await page.click(button);
    await leave();
    await answered;
    await page.waitForTimeout(200);
  };
  await page.goto(server.url);
  for (const leave of [() => page.click("#close"), () => page.keyboard.press("Escape")]) {
    await dialog(page);
    await leaving("#start", leave);
    assert.equal(await page.locator("#opening").isVisible(), false);
    assert.equal(page.url(), server.url);
  }
  await page.goto(`${server.url}#example=incursion`);
  for (const [button, other] of [["#lesson-play", "tile"], ["#lesson-on", "go"]]) {
    await page.locator("#lesson-board svg").waitFor();
    await leaving(button, () => page.goto(`${server.url}#example=${other}`));
    assert.equal(page.url(), `${server.url}#example=${other}`);
    assert.equal(await page.locator("#lesson").isVisible(), true);
  }
  await page.context().close();
  console.log("a game that begins after its player has left");
}

/** The last game is not offered where it has just turned out to be gone. */
export async function gone() {
  const page = await open();
  page.restarting = true; // The browser itself complains about the answer 404.
  await page.goto(server.url);
  await page.evaluate((last) => localStorage.setItem("hotstone.last", last), `#game=${"0".repeat(32)}`);
  await page.reload();
  await page.click("#again");
  await page.locator("#trouble", { hasText: "No such game" }).waitFor();
  assert.equal(await page.locator("#again").isVisible(), false);
  await page.goto(`${server.url}#example=chess`);
  await page.locator("#trouble", { hasText: "There is no example of 'chess' here." }).waitFor();
  await page.context().close();
  console.log("a last game that is gone");
}

/** From an example, too, a person elsewhere is invited where that is the chosen opponent. */
export async function exampleElsewhere() {
  const [page, guest] = [await open(), await open()];
  await page.goto(server.url);
  await begin(page, { rules: "go", size: 5, opponent: "elsewhere" });
  await page.goto(`${server.url}#example=incursion`);
  await page.locator("#lesson-plan", { hasText: "Against a person elsewhere" }).waitFor();
  await page.click("#lesson-last");
  await page.click("#lesson-on");
  await page.locator("#invite").waitFor();
  assert.equal(await page.textContent("#standing"), "You to move", "whoever plays on has the next turn");
  await guest.goto(await page.inputValue("#link"));
  await guest.locator("#standing", { hasText: "Your opponent to move" }).waitFor();
  for (const each of [page, guest]) await each.context().close();
  console.log("an example is played on with a person elsewhere");
}

/** A link to a position leads to the dialog, and from there to a game that goes on from it. */
export async function continued() {
  const page = await open();
  const record = "(;GM[1]FF[4]CA[UTF-8]SZ[5]RU[stoical]\n;B[bc]\n;W[cc]\n;B[db])";
  await page.goto(`${server.url}#${new URLSearchParams({ continue: record })}`);
  await page.locator("#linked").waitFor();
  assert.equal(await page.locator("#upload").isVisible(), false, "there is no other file to choose");
  await page.check("input[name=opponent][value=here]", { force: true });
  await page.click("#start");
  await page.waitForFunction(() => document.querySelectorAll("#moves li").length === 3);
  const { rules, state } = await told(page);
  assert.deepEqual([rules, state.size, state.to_move], ["stoical", 5, "W"]);
  await page.click("#new");
  assert.equal(await page.locator("#linked").isVisible(), false, "the next game is another");
  assert.equal(await page.locator("#upload").isVisible(), true);
  page.restarting = true; // A refused request is an error on the console.
  await page.goto(`${server.url}#${new URLSearchParams({ continue: "(;GM[1]FF[4]SZ[5]\n;B[bc])" })}`);
  await page.locator("#linked").waitFor();
  await page.click("#start");
  await page.locator("#opening-error", { hasText: "choose the rules" }).waitFor();
  assert.equal(await page.locator("#linked").isVisible(), false, "its own rules are not known");
  await page.selectOption("#variant", "incursion");
  await page.click("#start");
  await page.waitForFunction(() => document.querySelectorAll("#moves li").length === 1);
  assert.equal((await told(page)).rules, "incursion");
  await page.click("#new");
  assert(await page.isChecked("#file-rules"), "the next file is played by its own rules");
  await page.context().close();
  console.log("a link to a position is played on");
}

/** A komi that a variant does not have stands in nobody's way, and an example does not begin with that of another game. */
export async function komi() {
  const page = await open();
  await page.goto(server.url);
  await dialog(page);
  await page.selectOption("#variant", "go");
  await page.fill("#komi", "7.25");
  await begin(page, { rules: "alter-igo", size: 5, opponent: "here" });
  await page.click("#new");
  await page.selectOption("#variant", "go");
  await page.fill("#komi", "0.5");
  await begin(page, { rules: "go", size: 5, opponent: "here" });
  assert.equal((await told(page)).rules, "go,komi=0.5");
  await page.goto(`${server.url}#example=stoical`);
  await page.click("#lesson-play");
  await page.waitForFunction(() => location.hash.startsWith("#game="));
  assert.equal((await told(page)).rules, "stoical");
  await page.context().close();
  console.log("a komi is that of the variant it was given for");
}

/** The next game begins with the choices of the last one, in another window as well. */
export async function choices() {
  const page = await open();
  await page.goto(server.url);
  await begin(page, { rules: "stoical", size: 5, color: "W", level: 7 });
  const later = await page.context().newPage();
  await later.goto(server.url);
  await dialog(later);
  assert.equal(await later.inputValue("#variant"), "stoical");
  assert.equal(await later.inputValue("#size"), "5");
  assert.equal(await later.inputValue("#level"), "7");
  assert.equal(await later.locator("input[name=color]:checked").inputValue(), "W");
  await later.locator("#resume").waitFor();
  await begin(later, { own: "go,suicide=false", size: 4, rows: 5, opponent: "here" });
  await later.goto("about:blank");
  await later.goto(server.url);
  await dialog(later);
  await later.locator("#start:enabled").waitFor();
  assert.equal(await later.inputValue("#variant"), "");
  assert.equal(await later.inputValue("#own"), "go,suicide=false");
  assert.deepEqual([await later.inputValue("#size"), await later.inputValue("#rows")], ["4", "5"]);
  assert.equal(await later.inputValue("#level"), "7");
  assert.equal(await later.locator("input[name=opponent]:checked").inputValue(), "here");
  await page.context().close();
  console.log("choices are remembered");
}

/** A rule set is checked while it is typed, explained, and played against a program that has never seen it. */
export async function ownRules(options, name) {
  const page = await open(options);
  await page.goto(server.url);
  await dialog(page);
  await page.selectOption("#variant", "");
  await page.fill("#own", "tiel");
  await page.locator("#own-verdict.error", { hasText: "did you mean 'tile'?" }).waitFor();
  assert.equal(await page.locator("#start").isEnabled(), false);
  await picture(page, `own-refused-${name}`);
  await page.fill("#own", "go,tile_limit=2");
  await page.locator("#own-verdict", { hasText: "the rules have no tiles" }).waitFor();
  await page.fill("#own", "tile,end=area");
  await page.locator("#start:enabled").waitFor();
  assert.equal(await page.locator("#own-verdict.error").count(), 0);
  await page.click("#own-field summary");
  const part = (field) => page.locator(`#parts [data-part="${field}"]`);
  await part("end").locator("[aria-pressed=true]", { hasText: "area" }).waitFor();
  assert.equal(await part("tile_limit").locator("output").textContent(), "1");
  assert.match(await part("ban").textContent(), /no capture right after the opponent's capture/);
  assert.equal(await part("white_passes").evaluate((row) => row.classList.contains("unused")), true);
  await part("ban").locator("button", { hasText: "stoical" }).click();
  assert.equal(await page.inputValue("#own"), "tile,end=area,ban=stoical");
  await part("ban").locator("[aria-pressed=true]", { hasText: "stoical" }).waitFor();
  await picture(page, `own-${name}`);
  await part("variant").locator("button", { hasText: "cushion" }).click();
  await page.selectOption("#size", "6");
  await page.check("input[name=opponent][value=program]", { force: true });
  await page.locator("#model-note", { hasText: "No network knows these rules on 6 × 6: the program plays by random playouts." }).waitFor();
  await page.locator("#level").fill("1");
  await page.locator("#start:enabled").waitFor();
  await beginNow(page);
  await settled(page);
  assert.equal((await told(page)).rules, "stoical,repetition=simple,tiles=cushion,komi=0", "the first of the variants that are as near");
  await page.locator("#white .name", { hasText: "White · Random playouts, level 1" }).waitFor();
  await page.locator("#rules-text", { hasText: "no capture right after the opponent's capture" }).waitFor();
  let number = 1;
  for (; !(await isOver(page)); number += 1) await turn(page, "mouse", number);
  await compare(page);
  await picture(page, `own-game-${name}`);
  await page.context().close();
  console.log(`an own rule set, ${name}: played to its end in ${number - 1} turns of ours`);
}

/** On every board somebody plays: whoever has learnt it, and else a program without a network, which is said. */
export async function players() {
  const page = await open();
  await page.goto(server.url);
  await dialog(page);
  await page.selectOption("#variant", "tile");
  for (const [size, model, note] of [["7", "tile-beginner", ""], ["11", "counter", "No network knows these rules on 11 × 11"], ["7", "tile-beginner", ""]]) {
    await page.selectOption("#size", size);
    assert.equal(await page.inputValue("#model"), model);
    assert((await page.textContent("#model-note")).startsWith(note));
    assert.equal((await page.textContent("#model-note")) === "", note === "");
  }
  await page.selectOption("#model", "counter");
  assert.equal(await page.locator("#model option:checked").textContent(), "random playouts");
  assert.equal(await page.textContent("#model-note"), "It plays by random playouts, without a network.");
  await page.selectOption("#size", "5");
  assert.equal(await page.inputValue("#model"), "counter", "what was asked for stays");
  await page.context().close();
  console.log("the best player comes first");
}

/** Who gives away a link that only this machine can open is told so, and nobody else is. */
export async function links() {
  const page = await open();
  const notes = () => page.locator("[data-only-here]:visible").allTextContents();
  await page.goto(server.url);
  await dialog(page);
  await page.check("input[name=opponent][value=elsewhere]", { force: true });
  await page.locator("#opponent-note", { hasText: "Only this machine can open this address" }).waitFor();
  await begin(page, { rules: "go", size: 5, opponent: "elsewhere" });
  assert.equal((await notes()).filter((text) => text.startsWith("Only this machine can open this address")).length, 2);
  await picture(page, "links");
  await page.goto(elsewhere());
  await dialog(page);
  await page.check("input[name=opponent][value=elsewhere]", { force: true });
  await begin(page, { rules: "go", size: 5, opponent: "elsewhere" });
  assert.deepEqual((await notes()).filter((text) => text !== ""), []);
  assert.equal(await page.textContent("#opponent-note"), "");
  await page.context().close();
  console.log("links of this machine alone are called so");
}
