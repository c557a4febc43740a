// The page in the language of its reader.

import assert from "node:assert/strict";
import { begin, open, picture, server, settled } from "./harness.mjs";
import { screens } from "./accessible.mjs";

/** Words that are in nearly every English sentence and in none of the other languages. */
const ENGLISH = /\b(the|your?|of|is|are|may|with|without|what|who|turn|stone|move|board|game|rules?)\b/i;
/** What is written as it is in every language: names of variants and of parts of rule sets, and whom they are from. */
const NAMES = "#title, #variant, .words > b, #lesson-title, #lesson-source, #rules-source, #rules-title, .part h3, .part button, #own, #model, #language, .player .name";

/** Everything that is read or heard on a screen. */
const read = (page) => page.evaluate((names) => {
  const texts = [];
  for (const element of document.body.querySelectorAll("*")) {
    if (element.closest(names) || element.closest("noscript") || !element.checkVisibility()) continue;
    for (const name of ["aria-label", "title", "placeholder"]) texts.push(element.getAttribute(name) ?? "");
    for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) texts.push(node.data);
  }
  return texts.filter((text) => text.trim() !== "");
}, NAMES);

/** Results have decimals, and turns without a stone a word, as in the rest of the page. */
async function numbersAndPasses() {
  const page = await open({ locale: "de-DE" });
  const record = "(;SZ[5]RU[go]KM[2.5];B[cc];W[];B[])";
  await page.goto(`${server.url}#${new URLSearchParams({ continue: record })}`);
  await page.check("input[name=opponent][value=here]", { force: true });
  await page.click("#start");
  await page.locator("#standing", { hasText: "22,5" }).waitFor();
  assert.deepEqual(await page.locator("#moves li").allTextContents(), ["C3", "Passen", "Passen"]);
  await page.context().close();
}

/** No screen has English in it; the language follows the browser, can be chosen, and is remembered. */
export async function languages() {
  for (const [locale, tag, start] of [["de-AT", "de", "Neues Spiel"], ["fr-CA", "fr", "Nouvelle partie"]]) {
    const page = await open({ locale });
    const english = new Set();
    await screens(page, async (screen) => {
      assert.equal(await page.getAttribute("html", "lang"), tag);
      for (const text of await read(page)) if (ENGLISH.test(text)) english.add(`${screen}: ${text}`);
    });
    assert.deepEqual([...english], [], tag);
    assert.equal(await page.textContent("#new"), start);
    await page.context().close();
  }
  const page = await open({ locale: "de-DE" });
  await page.goto(server.url);
  await begin(page, { rules: "tile", size: 5, color: "B" });
  await settled(page);
  assert.equal(await page.textContent("#standing"), "Du bist am Zug");
  const address = page.url();
  await page.selectOption("#language", "fr");
  await page.locator("#standing", { hasText: "À vous de jouer" }).waitFor();
  assert.equal(page.url(), address, "the same game");
  await picture(page, "chosen-language");
  const later = await page.context().newPage();
  await later.goto(server.url);
  await later.locator("#new", { hasText: "Nouvelle partie" }).waitFor();
  assert.equal(await later.inputValue("#language"), "fr");
  await page.context().close();
  await numbersAndPasses();
  const other = await open({ locale: "pl-PL" });
  await other.goto(server.url);
  await other.locator("#new", { hasText: "New game" }).waitFor();
  assert.equal(await other.getAttribute("html", "lang"), "en");
  await other.context().close();
  console.log("the page in its reader's language");
}
