// Plays in the page without a server, with a real browser that is cut off from the network once the page is there:
//
//     node site.mjs SITE_FOLDER PICTURES_FOLDER [CHROMIUM]
//
// Prints how long the program took for its moves. Pictures are kept for looking at; the checks are what counts.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { begin, beginNow, idOf, settled, turn } from "./play.mjs";

const [site, pictures, browserProgram = "/usr/bin/chromium"] = process.argv.slice(2);
assert(site && pictures, "usage: node site.mjs SITE_FOLDER PICTURES_FOLDER [CHROMIUM]");
mkdirSync(pictures, { recursive: true });

/** Static hosts serve a site from any folder. */
const FOLDER = "/some/folder/";
const TYPES = { html: "text/html", css: "text/css", svg: "image/svg+xml", js: "text/javascript", webmanifest: "application/manifest+json" };
const QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const PHONE = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
const VARIANTS = ["incursion", "minimal-incursion", "stoical", "tile", "cushion", "hot-stone", "alter-igo", "conquest", "pure-conquest", "go"];
const LEVEL = 8;

const complaints = [];
const browser = await chromium.launch({ executablePath: browserProgram, args: QUIET });
const system = await browser.newBrowserCDPSession();

/** A host that knows nothing but files. */
async function host() {
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://host").pathname;
    const name = path.endsWith("/") ? `${path}index.html` : path;
    try {
      assert(name.startsWith(FOLDER));
      const bytes = readFileSync(join(site, name.slice(FOLDER.length)));
      response.writeHead(200, { "Content-Type": TYPES[name.split(".").at(-1)] ?? "application/octet-stream" }).end(bytes);
    } catch {
      complaints.push(`asked for ${path}`);
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}${FOLDER}`, stop: () => { server.closeAllConnections(); server.close(); } };
}

/** A window whose pages were loaded once, after which neither the network nor the host is there. */
async function offline(options = {}) {
  const { url, stop } = await host();
  const context = await browser.newContext({ viewport: { width: 1120, height: 800 }, ...options });
  context.setDefaultTimeout(30000);
  const page = await open(context, url);
  await page.evaluate(() => navigator.serviceWorker.ready);
  const devtools = await context.newCDPSession(page);
  const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
  // The windows of a check leave no traces, so nothing is installed in them.
  const errors = installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito");
  assert.deepEqual(errors, [], "it can be installed");
  stop();
  await context.setOffline(true);
  await page.reload();
  return { context, url, page };
}

async function open(context, url) {
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(`${error}`));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await page.goto(url);
  return page;
}

const picture = (page, name) => page.screenshot({ path: join(pictures, `${name}.png`) });
const moves = (page) => page.locator("#moves li").allTextContents();
const isOver = async (page) => !(await page.getAttribute("#game", "data-mover"));

/** Notes in the page when each move appears there. */
const watchMoves = (page) => page.evaluate(() => {
  window.times = [];
  const list = document.getElementById("moves");
  new MutationObserver(() => {
    while (window.times.length < list.children.length) window.times.push(performance.now());
  }).observe(list, { childList: true });
});

/** Seconds of processor time of all pages and workers. */
async function processorTime() {
  const { processInfo } = await system.send("SystemInfo.getProcessInfo");
  return processInfo.filter(({ type }) => type === "renderer").reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

/** Plays a game to its end, or some turns of it; how long the program's moves took. */
async function game(page, { rules, size, turns = 150, how = "mouse" }) {
  await begin(page, { rules, size, level: LEVEL });
  await watchMoves(page);
  const used = [];
  let number = 1;
  for (; number <= turns && !(await isOver(page)); number += 1) {
    const before = await processorTime();
    await turn(page, how, number);
    used.push((await processorTime()) - before);
    if (number === 8) await picture(page, `${rules}-${size}`);
  }
  const waits = await page.evaluate((count) => {
    const times = window.times.slice(-count);
    return times.slice(1).map((time, index) => time - times[index]).filter((_, index) => index % 2 === 0);
  }, (await moves(page)).length);
  const seconds = (all) => `${Math.max(...all).toFixed(2)} s at most, ${(all.reduce((sum, one) => sum + one, 0) / all.length).toFixed(2)} s on average`;
  const standing = await page.textContent("#standing");
  if (turns > 100) assert(await isOver(page), `${rules} does not end`);
  console.log(`${rules} ${size}×${size}, ${number - 1} turns, ${standing}: a move took ${seconds(waits.map((wait) => wait / 1000))}; processor ${seconds(used)}`);
}

/** What the program thinks is shown, and taking back does not wait for it. */
async function opinions(page) {
  await begin(page, { rules: "tile", size: 7, level: 4 });
  for (let number = 1; number <= 3; number += 1) await turn(page, "mouse", number);
  await page.click("#policy");
  await page.locator("#board [data-heat]").first().waitFor();
  await page.locator("#opinion", { hasText: "It would play" }).waitFor();
  await page.click("#course");
  await page.locator("#graph .curve").waitFor();
  assert.equal(await page.locator("#graph .dot").count(), 7);
  await picture(page, "opinions");
  await page.click("#policy");
  await page.click("#occupancy");
  await page.locator("#board [data-final]").first().waitFor({ timeout: 60000 });
  await picture(page, "ownership");
  await page.click("#occupancy");
  await page.click("#course");
  await page.click("#undo");
  await page.waitForFunction(() => document.querySelectorAll("#moves li").length === 4);

  await begin(page, { rules: "go", size: 9, level: 10 });
  await page.click('[data-vertex="E5"]');
  await page.locator("#white .thinking").waitFor();
  await page.click("#undo");
  await page.waitForFunction(() => document.querySelectorAll("#moves li").length === 0);
  await settled(page);
  console.log("opinions, and taking back while the program thinks");
}

/** Without a server, too, an example is gone through and played on from, and a game is reviewed. */
async function teaching(page, url) {
  await page.goto(`${url}#example=conquest`);
  await page.locator("#lesson-board svg").waitFor();
  await page.click("#lesson-next");
  await page.locator("#lesson-words", { hasText: "closes the corner" }).waitFor();
  await picture(page, "example");
  await page.click("#lesson-on");
  await page.locator("#board svg").waitFor();
  await settled(page);
  await turn(page, "mouse", 1);
  const taken = (await moves(page)).length;
  await page.click("#moves li:nth-child(4) button");
  await page.locator("#count", { hasText: `4 of ${taken}` }).waitFor();
  await page.click("#last");
  await page.click("#resign");
  await page.click("#resign");
  await page.click("#review");
  await page.locator("#graph .curve").waitFor();
  await page.waitForFunction(() => [...document.querySelectorAll("#swings button")].every(({ textContent }) => /better/.test(textContent)));
  await picture(page, "review");
  await page.click("#course");
  console.log("an example, and a review");
}

/** A game outlives a reload, and goes wherever its link goes. */
async function links({ context, url, page }) {
  await begin(page, { rules: "hot-stone", size: 6, level: 3 });
  await page.reload();
  await page.locator("#board svg").waitFor(); // Even before the first move.
  await settled(page);
  for (let number = 1; number <= 4; number += 1) await turn(page, "mouse", number);
  const before = await moves(page);
  await page.reload();
  await page.locator("#board svg").waitFor();
  await settled(page);
  assert.deepEqual(await moves(page), before, "a reload loses nothing");
  const last = await page.evaluate(() => {
    document.querySelector("#board [aria-disabled=false]").dispatchEvent(new MouseEvent("click"));
    return localStorage.getItem("hotstone.last"); // Before the program can have heard of the turn.
  });
  assert.match(last, /&saved=/, "whoever closes the page now finds the last game again");
  const counted = (count) => page.waitForFunction((wanted) => document.querySelectorAll("#moves li").length === wanted, count);
  await counted(before.length + 2);
  await page.click("#undo");
  await counted(before.length);
  await settled(page);
  const link = await page.evaluate(() => document.getElementById("watch").href);
  assert.equal(link, page.url());
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.click("#watch");
  await page.locator("#watch", { hasText: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
  await turn(page, "mouse", 5);
  const other = await browser.newContext({ viewport: { width: 1120, height: 800 } });
  for (const [where, elsewhere] of [[context, false], [other, true]]) {
    const again = elsewhere ? await host() : { url, stop: () => {} };
    const guest = await open(where, link.replace(url, again.url));
    await guest.locator("#board svg").waitFor();
    await settled(guest);
    assert.deepEqual(await moves(guest), before, "the link carries the game as it was");
    await turn(guest, "mouse", 7);
    await guest.close();
    again.stop();
  }
  await other.close();
  await page.goto(`${url}#game=${"0".repeat(32)}&saved=AAAA`);
  await page.locator("#trouble", { hasText: "carries no whole game" }).waitFor();
  await page.goto("about:blank");
  await page.goto(url);
  await page.click("#again");
  await page.locator("#board svg").waitFor();
  assert.equal((await moves(page)).length, before.length + 2, "the last game is where it was left");
  console.log(`reload, and a link of ${link.length} letters`);
}

/** Files go out and come in, two people play at one screen, and what needs a server is not offered. */
async function records(page) {
  const folder = mkdtempSync(join(tmpdir(), "hotstone-site-"));
  const file = join(folder, "game.sgf");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#download")]);
  assert.match(download.suggestedFilename(), /^hotstone-hot-stone-.*\.sgf$/);
  await download.saveAs(file);
  assert.match(readFileSync(file, "utf8"), /^\(;GM\[1\]FF\[4\]/);
  const before = await moves(page);
  await page.click("#new");
  assert.equal(await page.locator("input[name=opponent][value=elsewhere]").isVisible(), false);
  await page.check("input[name=opponent][value=here]", { force: true });
  await page.click(".upload summary");
  await page.setInputFiles("#file", file);
  await beginNow(page);
  await page.waitForFunction((count) => document.querySelectorAll("#moves li").length === count, before.length);
  assert.deepEqual(await moves(page), before);
  rmSync(folder, { recursive: true });
  for (let number = 1; number <= 2; number += 1) await turn(page, "keyboard", number);
  await page.click("#resign");
  await page.click("#resign");
  await page.locator("#standing", { hasText: "resigned" }).waitFor();
  await page.click("#undo");
  await settled(page);
  console.log("SGF out and in, two people at one screen, resignation");
}

/** An own rule set is checked while it is typed; where no network knows it, playouts play. */
async function ownRules(page) {
  await begin(page, { own: "stoical,tiles=cushion", size: 6, level: 8 });
  await turn(page, "mouse", 1);
  assert.match(await page.textContent("#white .name"), /universal, level 8/);
  await begin(page, { own: "go,end=area", size: 11, level: 4 });
  await turn(page, "mouse", 1);
  assert.match(await page.textContent("#white .name"), /Random playouts, level 4/);
  console.log("own rule sets and larger boards");
}

/** Opened as a file, or without its program, the page says what to do. */
async function incomplete() {
  const context = await browser.newContext();
  const file = await context.newPage();
  await file.goto(pathToFileURL(join(site, "index.html")).href);
  await file.getByText("python3 -m http.server").waitFor();
  const { url, stop } = await host();
  const page = await context.newPage();
  await context.route("**/hotstone.wasm", (route) => route.fulfill({ status: 503 }));
  await page.goto(url);
  await page.getByText("The program cannot be loaded").first().waitFor();
  assert.equal(await page.locator("a[href='#laboratory']").isVisible(), false, "nothing is offered that does nothing");
  await context.close();
  stop();
  console.log("what is missing is said");
}

try {
  await incomplete();
  const desk = await offline();
  await desk.page.locator("#variants a").first().waitFor();
  await picture(desk.page, "welcome");
  for (const rules of VARIANTS) await game(desk.page, { rules, size: 7 });
  for (const rules of VARIANTS) await game(desk.page, { rules, size: 9, turns: 4 });
  await opinions(desk.page);
  await teaching(desk.page, desk.url);
  await links(desk);
  await records(desk.page);
  await ownRules(desk.page);
  await desk.context.close();
  const phone = await offline({ ...PHONE, colorScheme: "dark" });
  await phone.page.locator("#variants a").first().waitFor();
  await picture(phone.page, "phone-welcome");
  await game(phone.page, { rules: "conquest", size: 5, how: "touch" });
  await picture(phone.page, "phone-end");
  const width = await phone.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert(width[0] <= width[1], `the page is ${width[0]} wide in ${width[1]}`);
  assert(idOf(phone.page));
  assert.deepEqual(complaints, []);
  console.log("all well");
} finally {
  await browser.close();
}
