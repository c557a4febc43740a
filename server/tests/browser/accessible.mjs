// Who cannot see the page well, or uses no mouse: axe-core finds nothing on any screen, and keys alone are enough.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { moves } from "./puzzles.mjs";
import { begin, dialog, open, picture, server, settled } from "./harness.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** All rules of WCAG 2.0 to 2.2 at the levels A and AA, and what axe-core takes for good practice. */
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Screens of which there are pictures in every language and form. */
const SHOWN = ["lobby", "laboratory, policy", "own rules", "tile promised", "review"];

const point = (page, vertex) => page.locator(`#board [data-vertex="${vertex}"]`);

async function place(page, ...vertices) {
  for (const vertex of vertices) {
    const before = await page.locator("#moves li").count();
    await point(page, vertex).click();
    await page.waitForFunction((count) => document.querySelectorAll("#moves li").length > count, before);
  }
}

/** Every screen of the page, each made by what a person does. `seen` is called when one is there. */
export async function screens(page, seen) {
  const here = (rest) => page.goto(`${server.url}${rest}`);
  await here("");
  await page.locator("#variants a").first().waitFor();
  await seen("lobby");
  await here("#example=tile");
  await page.locator("#lesson-board svg").waitFor();
  await seen("example");
  await page.click("#lesson-last");
  await seen("example, last step");
  const { right, wrong } = await moves("nogo", 1);
  const answer = async (vertex) => {
    await page.locator(`#puzzle [data-vertex="${vertex}"]`).click();
    await page.locator("#puzzle .remarks li").first().waitFor();
  };
  await here("#puzzle=nogo");
  await page.locator("#puzzle .board svg").waitFor();
  await seen("puzzle");
  await answer(wrong);
  await seen("puzzle, wrong");
  await page.locator("#puzzle .actions button").first().click();
  await answer(right);
  await seen("puzzle, right");
  await here("#example=tile");
  await dialog(page);
  await seen("opening");
  await page.selectOption("#variant", "");
  await page.fill("#own", "tile,end=area");
  await page.locator("#start:enabled").waitFor();
  await page.click("#own-field summary");
  await page.click(".upload summary");
  await seen("own rules");
  await page.fill("#own", "tiel");
  await page.locator("#own-verdict.error").waitFor();
  await seen("own rules refused");
  await page.keyboard.press("Escape");

  await here("#laboratory&a=go&b=stoical&size=5&moves=B3.E3.C4.D4.C2.D2.D3.A1.A2.C3");
  await page.locator("#board-b .only").waitFor();
  await page.locator("#laboratory-search", { hasText: "256 " }).waitFor();
  await seen("laboratory");
  for (const kind of ["policy", "ownership", "legal"]) {
    await page.locator(`#comparison label:has([value=${kind}])`).click();
    await page.locator("#difference-words li").first().waitFor();
    await seen(`laboratory, ${kind}`);
  }
  await page.fill("#rules-a", "tiel");
  await page.locator("#verdict-a.error").waitFor();
  await page.click("#laboratory details:has(#parts-a) summary");
  await seen("laboratory, refused");
  await here("");
  await page.locator("#variants a").first().waitFor();

  await begin(page, { rules: "tile", size: 5, opponent: "here" });
  await seen("game begins");
  await place(page, "C3", "A1");
  await point(page, "D2").hover();
  await seen("tile promised");
  await place(page, "D2");
  await seen("tile placed");
  await begin(page, { rules: "incursion", size: 5, opponent: "here" });
  await place(page, "B5", "C5", "B4", "C4", "B3", "C3", "A3", "B2", "A4", "A2", "D1", "C2");
  await point(page, "C3").hover();
  await seen("stone in the way");
  await begin(page, { rules: "conquest", size: 6, opponent: "here" });
  await place(page, "A3", "A1", "B2", "E5");
  await point(page, "C1").hover();
  await seen("conquest promised");
  await place(page, "C1");
  await seen("conquest");
  await begin(page, { rules: "hot-stone", size: 5, opponent: "here" });
  await place(page, "C4", "D4", "B3", "C3", "C2", "D2", "A1", "E3", "D3");
  await point(page, "D3").hover();
  await seen("hot ko");
  await begin(page, { rules: "go", size: 5, opponent: "elsewhere" });
  await seen("invitation");
  await begin(page, { rules: "go", size: 3, opponent: "here" });
  await place(page, "A1", "B1", "C3", "B2", "A2", "B3", "A3", "C1");
  await page.click("#policy");
  await page.locator("#board [data-heat]").first().waitFor();
  await seen("good moves");
  await page.click("#policy");
  await page.click("#occupancy");
  await page.locator("#board [data-final]").first().waitFor();
  await seen("final board");
  await page.click("#occupancy");
  await page.click("#resign");
  await seen("resigning");
  await page.click("#resign");
  await page.locator("#review").waitFor();
  await seen("game over");
  await page.click("#review");
  await page.locator("#swings button").first().waitFor();
  await page.click("#previous");
  await page.locator("#branch").waitFor();
  await seen("review");
  page.restarting = true; // The browser itself complains about the answer 404.
  await here(`#game=${"0".repeat(32)}`);
  await page.locator("#trouble:not(:empty)").waitFor();
  await seen("no such game");
}

/** Goes through all screens and has axe-core look at each; what it finds, by screen. */
export async function accessible(options, name) {
  const page = await open(options);
  const found = [];
  let count = 0;
  await screens(page, async (screen) => {
    count += 1;
    if (SHOWN.includes(screen)) await picture(page, `${screen.replaceAll(/,? /g, "-")}-${name}`);
    await page.evaluate(AXE);
    const { violations } = await page.evaluate((values) => window.axe.run(document, { runOnly: { type: "tag", values } }), RULES);
    for (const { id, nodes } of violations) found.push(`${screen}: ${id} (${nodes.length}): ${nodes.slice(0, 3).map(({ html, any }) => `${html.slice(0, 150)} ${any[0]?.message ?? ""}`).join(" | ")}`);
  });
  await page.context().close();
  assert.deepEqual(found, [], name);
  console.log(`axe-core, ${name}: nothing on ${count} screens`);
}

/** What is drawn on what, and how far it has to stand out: 3 for shapes, 4.5 for letters. Colours of the palette by name. */
const DRAWN = [
  ["label", "wood", 4.5], ["on-tile", "tile", 4.5], ["line", "wood", 3], ["#14161a", "wood", 3], ["black-dark", "wood", 3], ["stone-edge", "wood", 3],
  ["tile-edge", "wood", 3], ["hot", "#ffffff", 3], ["hot", "white-dark", 3], ["#ffffff", "black-light", 3], ["ban", "#ffffff", 3],
  ["black-dark", "white-dark", 3], ["#ffffff", "heat", 4.5],
  ["#ffffff", "first", 4.5], ["#ffffff", "second", 4.5], ["first", "wood", 3], ["second", "wood", 3],
];

/** The marks on the board stand out from what they are drawn on, which axe-core does not look at. */
export async function contrast(options, name) {
  const page = await open(options);
  await page.goto(server.url);
  const weak = await page.evaluate((drawn) => {
    const styles = getComputedStyle(document.documentElement);
    const luminance = (colour) => {
      const hex = colour.startsWith("#") ? colour : styles.getPropertyValue(`--${colour}`).trim();
      const parts = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
      const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    return drawn.flatMap(([mark, ground, least]) => {
      const [dark, light] = [luminance(mark), luminance(ground)].sort((a, b) => a - b);
      const ratio = (light + 0.05) / (dark + 0.05);
      return ratio >= least ? [] : [`${mark} on ${ground}: ${ratio.toFixed(2)}, at least ${least}`];
    });
  }, DRAWN);
  assert.deepEqual(weak, [], name);
  await page.context().close();
}

/** On a telephone the board, the buttons and what a step does are seen together, at every step of every example. */
export async function lessonsFit(options, name) {
  const page = await open(options);
  await page.goto(server.url);
  const all = await (await fetch(`${server.url}api/examples`)).json();
  const hidden = [];
  for (const { rules, opens, steps } of all) {
    await page.goto(`${server.url}#example=${rules}`);
    await page.locator("#lesson-count", { hasText: new RegExp(`^${opens + 1} `) }).waitFor();
    for (let step = opens; step < steps.length; step += 1) {
      const bottom = await page.evaluate(() => Math.max(...["lesson-board", "lesson-next", "lesson-words"].map((id) => document.getElementById(id).getBoundingClientRect().bottom)));
      const [room, scrolled] = await page.evaluate(() => [innerHeight, scrollY]);
      if (bottom > room || scrolled > 0) hidden.push(`${rules} ${step}: ${bottom} of ${room}`);
      if (step + 1 < steps.length) await page.click("#lesson-next");
    }
  }
  await picture(page, `lesson-${name}`);
  assert.deepEqual(hidden, [], name);
  await page.context().close();
}

/** Presses a key until the wanted element has the focus, which is visible wherever it is on the way. */
export async function tabTo(page, target) {
  for (let count = 0; count < 60; count += 1) {
    await page.keyboard.press("Tab");
    const { found, seen, what } = await page.evaluate((selector) => {
      const focused = document.activeElement;
      const shown = focused.matches(".segments input") ? focused.nextElementSibling : focused;
      const { outlineStyle, outlineWidth } = getComputedStyle(shown);
      return { found: focused.matches(selector), seen: focused === document.body || (outlineStyle !== "none" && outlineWidth !== "0px"), what: focused.outerHTML.slice(0, 80) };
    }, target);
    assert(seen, `the focus is seen on ${what}`);
    if (found) return;
  }
  assert.fail(`keys reach ${target}`);
}

/** From the address to a stone, to the end of the game and its review, without a mouse. */
export async function keysAlone(options, name) {
  const page = await open(options);
  await page.goto(server.url);
  await page.locator("#variants a").first().waitFor();
  const press = (key) => page.keyboard.press(key);
  await tabTo(page, "a[href='#example=tile']");
  await press("Enter");
  await page.locator("#lesson-board svg").waitFor();
  await tabTo(page, "#lesson-next");
  await press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "lesson-previous", "keys go on beside a button that can do no more");
  // The dialog keeps the focus, and gives it back.
  await tabTo(page, "#lesson-more");
  await press("Enter");
  await page.locator("#opening").waitFor();
  for (let count = 0; count < 30; count += 1) {
    await press("Tab");
    assert(await page.evaluate(() => document.activeElement === document.body || document.getElementById("opening").contains(document.activeElement)), "the dialog keeps the focus");
  }
  await press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement.id), "lesson-more");
  await press("Enter");
  await tabTo(page, "#start");
  await press("Enter");
  await page.locator("#board svg").waitFor();
  await settled(page);
  await tabTo(page, "[data-vertex]");
  for (const key of ["ArrowUp", "ArrowUp", "ArrowRight"]) await press(key);
  const vertex = await page.evaluate(() => document.activeElement.dataset.vertex);
  assert.equal(vertex, "B3");
  await press("Enter");
  await page.locator("#board .stones .black").waitFor();
  assert.match(await point(page, vertex).getAttribute("aria-label"), /^B3, /);
  await settled(page);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.vertex), vertex, "the focus stays where the stone was placed");
  await press("Enter");
  assert.match(await page.textContent("#message"), /^B3 ?: ./, "why no stone may be placed is said");
  await tabTo(page, "#resign");
  await press("Enter");
  await press("Enter");
  await page.locator("#review").waitFor();
  await tabTo(page, "#review");
  await press("Enter");
  await page.locator("#graph .curve").waitFor();
  const focused = () => page.evaluate(() => document.activeElement.id);
  assert.equal(await focused(), "course", "keys go on beside a button that has gone");
  await press("ArrowLeft");
  await page.locator("#live").waitFor();
  await tabTo(page, "#live");
  await press("Enter");
  await page.locator("#live").waitFor({ state: "hidden" });
  assert.equal(await focused(), "previous");
  await page.context().close();
  console.log(`without a mouse, ${name}`);
}
