// Marks and numbers on the board, and what is said about them.

import assert from "node:assert/strict";
import { begin, open, picture, server, told } from "./harness.mjs";

/** What a program might say: the move that it looked at most, the first, is not the one that it finds likeliest. */
const SHARES = [["0", 0.2, 90], ["1", 0.6, 10], ["pass", 0.13, 5], ["2", 0.052, 2], ["3", 0.01, 1], ["4", 0.008, 1]];

/** That, said of the position in `state`. */
function thought({ legal }) {
  const named = (name) => legal[name] ?? name;
  const candidates = SHARES.map(([name, share, visits]) => ({ move: named(name), share, visits, winrate: 0.3 }));
  return { model: "made up", winrate: 0.25, proven: null, best: legal[0], occupancy: null, candidates };
}

/** The ring is on the highest number, less than 1 % is not painted, and all numbers say what they are. */
export async function ring() {
  const page = await open();
  await page.route("**/analysis?*", async (route) => {
    const { version } = await (await route.fetch()).json();
    await route.fulfill({ json: { version, ...thought((await told(page)).state) } });
  });
  await page.goto(server.url);
  await begin(page, { rules: "go", size: 5, color: "W" });
  const { legal } = (await told(page)).state;
  await page.click("#policy");
  await page.locator("#board [data-heat]").first().waitFor();
  const numbers = await page.locator("#board [data-heat]").evaluateAll((marks) => marks.map(({ dataset, textContent }) => [dataset.heat, textContent]));
  assert.deepEqual(numbers, [[legal[0], "20"], [legal[1], "60"], [legal[2], "5"], [legal[3], "1"]]);
  assert.deepEqual(await page.locator("#board .likeliest").evaluateAll((marks) => marks.map(({ dataset }) => dataset.heat)), [legal[1]]);
  assert.equal(await page.textContent("#opinion"), `Your chance to win: 75 %. It would play ${legal[0]}, which it has looked at most. Passing: 13 %.`);
  const legend = await page.textContent("#legend");
  for (const words of ["in %", "likeliest", "last move"]) assert(legend.includes(words), `${words}: ${legend}`);
  await page.click("#course");
  await page.locator("#graph", { hasText: "Your chance to win" }).waitFor();
  await picture(page, "ring");
  await page.context().close();
  console.log("the ring is on the highest number");
}

/** A stone that has just become hot: its flame, the ring of the last move and the hot stone's own do not touch. */
export async function hotStone(options, name) {
  const page = await open(options);
  await page.goto(server.url);
  await begin(page, { rules: "hot-stone", size: 5, opponent: "here" });
  for (const vertex of ["C4", "D4", "B3", "C3", "C2", "D2", "A1", "E3", "D3"]) {
    await page.click(`[data-vertex="${vertex}"]`);
    await page.locator("#moves li:last-child", { hasText: vertex }).waitFor();
  }
  const reach = await page.locator("#board .marks").evaluate((marks) => {
    const [hot, last] = [marks.querySelector(".hot circle"), marks.querySelector(".last")];
    const width = (circle) => parseFloat(getComputedStyle(circle).strokeWidth);
    const edges = (circle) => [circle.r.baseVal.value - width(circle) / 2, circle.r.baseVal.value + width(circle) / 2];
    const flame = marks.querySelector(".hot path");
    const [x, y] = [hot.cx.baseVal.value, hot.cy.baseVal.value];
    const points = Array.from({ length: 200 }, (_, step) => flame.getPointAtLength((flame.getTotalLength() * step) / 200));
    return { flame: Math.max(...points.map((point) => Math.hypot(point.x - x, point.y - y))), last: edges(last), hot: edges(hot) };
  });
  assert(reach.flame < reach.last[0] && reach.last[1] < reach.hot[0], JSON.stringify(reach));
  assert.match(await page.textContent("#legend"), /last move.*hot stone/);
  await picture(page, `hot-stone-${name}`);
  await page.context().close();
  console.log(`a hot stone under the last move can be read, ${name}`);
}
