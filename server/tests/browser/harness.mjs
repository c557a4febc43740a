// What all checks of the page with a server share: the server, pages of a browser, and comparing one with the other.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";
import { idOf } from "./play.mjs";

export * from "./play.mjs";

const [program, pictures, browserProgram = "/usr/bin/chromium"] = process.argv.slice(2);
assert(program && pictures, "usage: node check.mjs SERVER_PROGRAM PICTURES_FOLDER [CHROMIUM]");
mkdirSync(pictures, { recursive: true });
export const data = mkdtempSync(join(tmpdir(), "hotstone-browser-"));

/** A name of this machine that does not look like one. */
const OTHER_NAME = "hotstone.test";

export let server;
export let browser;
export const complaints = [];

/** Starts the server, on the port that it had before if it had one. */
export async function start(port = 0) {
  const child = spawn(program, ["--data", data, "--trust", "--any-host", "--port", String(port)], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await new Promise((resolve, reject) => {
    createInterface(child.stdout).once("line", (text) => resolve([text]));
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  server = { child, url: line.trim() };
}

export async function stop() {
  const { child } = server;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  assert.equal(await ended, 0, "the server ends in peace");
}

export async function startBrowser() {
  browser = await chromium.launch({ executablePath: browserProgram, args: ["--no-sandbox", `--host-resolver-rules=MAP ${OTHER_NAME} 127.0.0.1`] });
}

export async function end() {
  await browser?.close();
  await stop();
  rmSync(data, { recursive: true });
}

/** The server's address under another name. */
export const elsewhere = () => server.url.replace("127.0.0.1", OTHER_NAME);

/** A page whose errors fail the check. `restarting` lets it meet a server that is away. */
export async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1120, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  page.on("pageerror", (error) => complaints.push(`${error}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !page.restarting) complaints.push(message.text());
  });
  page.on("request", (request) => {
    if (![server.url, elsewhere()].some((own) => request.url().startsWith(own))) complaints.push(`asked elsewhere: ${request.url()}`);
  });
  return page;
}

export const picture = (page, name) => page.screenshot({ path: join(pictures, `${name}.png`) });
export const told = async (page) => (await fetch(`${server.url}api/games/${idOf(page)}`)).json();
export const isOver = async (page) => (await told(page)).result !== null;

/** The picture has the stones, tiles and owners that the server tells of. */
export async function compare(page) {
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
