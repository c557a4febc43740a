// What people do in the page, whoever answers it.

import assert from "node:assert/strict";

export const idOf = (page) => new URLSearchParams(new URL(page.url()).hash.slice(1)).get("game");

/** Opens the dialog in which games begin, from wherever the page is. */
export async function dialog(page) {
  await page.waitForFunction(() => ["game", "lesson", "welcome"].some((id) => !document.getElementById(id).hidden));
  if (!(await page.locator("#opening").isVisible())) await page.click("#new");
  await page.locator("#opening").waitFor();
}

/** Begins a game in the dialog. */
export async function begin(page, { rules, own, size, rows = "", opponent = "program", color = "B", level = 1 }) {
  await dialog(page);
  await page.selectOption("#variant", rules ?? "");
  if (own !== undefined) await page.fill("#own", own);
  await page.check(`input[name=opponent][value=${opponent}]`, { force: true });
  await page.selectOption("#size", String(size));
  await page.selectOption("#rows", String(rows));
  if (opponent !== "here") await page.check(`input[name=color][value=${color}]`, { force: true });
  if (opponent === "program") await page.locator("#level").fill(String(level));
  await beginNow(page);
  if (opponent !== "elsewhere") await settled(page);
}

/** Begins the game that is chosen in the dialog. */
export async function beginNow(page) {
  const before = page.url();
  await page.click("#start");
  await page.waitForFunction((old) => location.href !== old && !document.getElementById("game").hidden, before);
  await page.locator("#board svg").waitFor();
}

/** Waits until it is this page's turn, or the game is over. */
export async function settled(page) {
  await page.waitForFunction(() => document.getElementById("game").dataset.mover || document.getElementById("game").classList.contains("over"));
}

/** Takes a turn by `how`: a click, the keyboard or a finger. */
export async function turn(page, how, number) {
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
