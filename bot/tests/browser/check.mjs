// Plays in the page as people do, with a real browser:
//
//     node check.mjs SERVER_PROGRAM PICTURES_FOLDER [CHROMIUM]
//
// SERVER_PROGRAM is the `serve` example of the bot crate. Pictures are kept for looking at; the checks are what counts.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const [program, pictures, browserProgram = "/usr/bin/chromium"] = process.argv.slice(2);
assert(program && pictures, "usage: node check.mjs SERVER_PROGRAM PICTURES_FOLDER [CHROMIUM]");
mkdirSync(pictures, { recursive: true });
const data = mkdtempSync(join(tmpdir(), "hotstone-browser-"));

/** Starts the server, on the port that it had before if it had one. */
async function start(port = 0) {
  const child = spawn(program, ["--data", data, "--trust", "--port", String(port)], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await new Promise((resolve, reject) => {
    createInterface(child.stdout).once("line", (text) => resolve([text]));
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { child, url: line.trim() };
}

async function stop({ child }) {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  assert.equal(await ended, 0, "the server ends in peace");
}

const complaints = [];

/** A page whose errors fail the check. `restarting` lets it meet a server that is away. */
async function open(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1120, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  page.on("pageerror", (error) => complaints.push(`${error}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !page.restarting) complaints.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(server.url)) complaints.push(`asked elsewhere: ${request.url()}`);
  });
  return page;
}

const picture = (page, name) => page.screenshot({ path: join(pictures, `${name}.png`) });
const idOf = (page) => new URLSearchParams(new URL(page.url()).hash.slice(1)).get("game");
const told = async (page) => (await fetch(`${server.url}api/games/${idOf(page)}`)).json();

/** Begins a game in the dialog. */
async function begin(page, { rules, size, opponent = "program", color = "B", level = 1 }) {
  if (!(await page.locator("#opening").isVisible())) await page.click("#new");
  const before = page.url();
  await page.selectOption("#variant", rules);
  await page.check(`input[name=opponent][value=${opponent}]`, { force: true });
  await page.selectOption("#size", String(size));
  if (opponent !== "here") await page.check(`input[name=color][value=${color}]`, { force: true });
  if (opponent === "program") await page.locator("#level").fill(String(level));
  await page.click("#start");
  await page.waitForFunction((old) => location.href !== old && !document.getElementById("game").hidden, before);
  await page.locator("#board svg").waitFor();
  if (opponent !== "elsewhere") await settled(page);
}

/** Waits until it is this page's turn, or the game is over. */
async function settled(page) {
  await page.waitForFunction(() => document.getElementById("game").dataset.mover || /wins|Draw/.test(document.getElementById("standing").textContent));
}

const isOver = async (page) => /wins|Draw/.test(await page.textContent("#standing"));

/** The picture has the stones, tiles and owners that the server tells of. */
async function compare(page) {
  const { state, moves } = await told(page);
  await page.waitForFunction((count) => document.querySelectorAll("#moves li").length === count, moves.length);
  const count = (rows, letters) => (rows ?? []).join("").split("").filter((letter) => letters.includes(letter)).length;
  const found = (selector) => page.locator(`#board ${selector}`).count();
  assert.equal(await found(".stones .black"), count(state.stones, "X"));
  assert.equal(await found(".stones .white"), count(state.stones, "O"));
  assert.equal(await found(".owned rect"), count(state.owner, "bw"));
  assert.equal(await found(".tiles .tile"), count(state.tiles, "123456789"));
  assert.equal(await found(".marks .hot"), (state.hot ?? []).length);
  assert.equal(await page.textContent("[data-prisoners=B]"), `${state.prisoners.B} prisoner${state.prisoners.B === 1 ? "" : "s"}`);
  return state;
}

/** Takes a turn by `how`: a click, the keyboard or a finger. */
async function turn(page, how, number) {
  const before = await page.locator("#moves li").count();
  const legal = await page.locator("#board [data-vertex][aria-disabled=false]").evaluateAll((points) => points.map((point) => point.dataset.vertex));
  const pass = page.locator("#pass");
  const mayPass = (await pass.isVisible()) && (await pass.isEnabled());
  if (legal.length === 0 || (mayPass && number > 60)) {
    await pass.click();
  } else {
    const vertex = legal[(number * 7919) % legal.length];
    const point = page.locator(`[data-vertex="${vertex}"]`);
    if (how === "keyboard") {
      await page.locator("#board [tabindex='0']").focus();
      await page.keyboard.press("ArrowRight");
      await walk(page, vertex);
      await page.keyboard.press("Enter");
    } else if (how === "touch") {
      await point.tap();
      if (await page.locator("#message", { hasText: "again" }).count()) await point.tap();
    } else {
      await point.click();
    }
    if (await page.locator("#choice").isVisible()) await page.locator("#choice button").nth(number % 2).click();
  }
  await page.waitForFunction((count) => document.querySelectorAll("#moves li").length > count, before);
  await settled(page);
  return before;
}

/** Goes to a point with the arrow keys. */
async function walk(page, vertex) {
  const place = (text) => ["ABCDEFGHJKLMNOPQRST".indexOf(text[0]), Number(text.slice(1))];
  const here = await page.evaluate(() => document.activeElement.dataset.vertex);
  const [[column, row], [toColumn, toRow]] = [place(here), place(vertex)];
  for (let step = 0; step < Math.abs(toColumn - column); step += 1) await page.keyboard.press(toColumn > column ? "ArrowRight" : "ArrowLeft");
  for (let step = 0; step < Math.abs(toRow - row); step += 1) await page.keyboard.press(toRow > row ? "ArrowUp" : "ArrowDown");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.vertex), vertex);
}

async function wholeGame(browser, { rules, size, how, color, options }) {
  const page = await open(browser, options);
  await page.goto(server.url);
  await begin(page, { rules, size, color });
  let number = 1;
  for (; !(await isOver(page)); number += 1) {
    assert(number < 400, `${rules} does not end`);
    await turn(page, how, number);
    if (number % 5 === 0) await compare(page);
    if (number === 6) await picture(page, `${rules}-${how}`);
  }
  const state = await compare(page);
  assert(state.result !== null);
  await picture(page, `${rules}-${how}-end`);
  const width = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert(width[0] <= width[1], `${rules}: the page is ${width[0]} wide in ${width[1]}`);
  await page.context().close();
  console.log(`${rules} ${size}×${size} by ${how}: ${state.result} after ${number - 1} turns of ours`);
}

/** Points out why a stone cannot be placed, and what the program thinks. */
async function overlays(browser) {
  const page = await open(browser);
  await page.goto(server.url);
  await begin(page, { rules: "tile", size: 7, level: 4 });
  for (let number = 1; number <= 12; number += 1) await turn(page, "mouse", number);
  const { illegal, state } = await told(page);
  const [vertex, reason] = Object.entries(illegal)[0];
  await page.locator(`[data-vertex="${vertex}"]`).hover();
  await page.locator("#message", { hasText: reason }).waitFor();
  await page.click("#policy");
  await page.locator("#board [data-heat]").first().waitFor();
  await page.locator("#opinion", { hasText: "it would play" }).waitFor();
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

async function reloadAndRestart(page) {
  const before = await told(page);
  await page.reload();
  await page.locator("#board svg").waitFor();
  await compare(page);
  page.restarting = true;
  await stop(server);
  await page.locator("#remarks", { hasText: "cannot be reached" }).waitFor();
  server = await start(new URL(server.url).port);
  await page.waitForFunction(() => !document.getElementById("remarks").textContent.includes("cannot be reached"));
  page.restarting = false;
  assert.deepEqual((await told(page)).state, before.state);
  await turn(page, "mouse", 5);
  await compare(page);
  console.log("reload and restart: nothing lost");
}

async function records(page) {
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

async function twoPeople(browser) {
  const [host, guest, watcher] = [await open(browser), await open(browser), await open(browser)];
  await host.goto(server.url);
  await begin(host, { rules: "incursion", size: 9, opponent: "elsewhere", color: "W" });
  await guest.goto(await host.inputValue("#link"));
  await watcher.goto(server.url + (await host.getAttribute("#watch", "href")));
  for (const page of [guest, watcher]) await page.locator("#board svg").waitFor();
  assert.equal(await host.locator("[aria-disabled=false]").count(), 0, "it is not the host's turn");
  assert.equal(await watcher.locator("[aria-disabled=false]").count(), 0, "a watcher cannot play");
  assert.equal(await watcher.locator("#resign").isVisible(), false);
  await guest.click('[data-vertex="E5"]');
  for (const page of [host, watcher]) await page.locator("#moves li", { hasText: "E5" }).waitFor();
  await host.click('[data-vertex="D4"]');
  for (const page of [guest, watcher]) await page.locator("#remarks", { hasText: "incursion" }).waitFor();
  await compare(watcher);
  await picture(host, "two-people");
  for (const page of [host, guest, watcher]) await page.context().close();
  console.log("two people and somebody who watches");
}

let server = await start();
const browser = await chromium.launch({ executablePath: browserProgram, args: ["--no-sandbox"] });
try {
  const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2, colorScheme: "dark" };
  await wholeGame(browser, { rules: "tile", size: 5, how: "mouse", color: "B" });
  await wholeGame(browser, { rules: "conquest", size: 7, how: "touch", color: "W", options: phone });
  await wholeGame(browser, { rules: "hot-stone", size: 5, how: "keyboard", color: "B" });
  await wholeGame(browser, { rules: "cushion", size: 5, how: "touch", color: "B", options: phone });
  const page = await overlays(browser);
  await reloadAndRestart(page);
  await records(page);
  await twoPeople(browser);
  const dark = await open(browser, { colorScheme: "dark" });
  await dark.goto(server.url);
  await picture(dark, "opening-dark");
  assert.deepEqual(complaints, []);
  console.log("all well");
} finally {
  await browser.close();
  await stop(server);
  rmSync(data, { recursive: true });
}
