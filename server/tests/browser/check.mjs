// Plays in the page as people do, with a real browser:
//
//     node check.mjs SERVER_PROGRAM PICTURES_FOLDER [CHROMIUM]
//
// SERVER_PROGRAM is the `serve` example of the server crate. Pictures are kept for looking at; the checks are what counts.

import assert from "node:assert/strict";
import { complaints, end, start, startBrowser } from "./harness.mjs";
import { accessible, contrast, keysAlone, lessonsFit } from "./accessible.mjs";
import { cutAnswer, cutLink, damagedFile, lateRefusal, manyPages, nextGraph, otherTurns, overlays, records, refusedOpinion, refusedStream, reloadAndRestart, tryAgain, twoPeople, wholeGame } from "./games.mjs";
import { estimatedOnce, laboratory, laboratoryByKeys, refused, sharedPoint, unfinished, withoutStone } from "./laboratory.mjs";
import { languages } from "./languages.mjs";
import { hotStone, ring } from "./marks.mjs";
import { choices, continued, early, escape, exampleElsewhere, gone, komi, left, links, ownRules, players } from "./opening.mjs";
import { puzzle, puzzles } from "./puzzles.mjs";
import { causes, doubleClicks, examples, newcomer, review, swings } from "./teaching.mjs";

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
const DARK = { colorScheme: "dark" };

await start();
try {
  await startBrowser();
  await wholeGame({ rules: "tile", size: 5, how: "mouse", color: "B" });
  await wholeGame({ rules: "conquest", size: 7, how: "touch", color: "W", options: { ...PHONE, ...DARK } });
  await wholeGame({ rules: "nogo", size: 5, rows: 3, how: "keyboard", color: "B" });
  await wholeGame({ rules: "atari-go", size: 3, rows: 6, how: "touch", color: "W", options: PHONE });
  await wholeGame({ rules: "hot-stone", size: 5, how: "keyboard", color: "B" });
  await wholeGame({ rules: "cushion", size: 5, how: "touch", color: "B", options: { ...PHONE, ...DARK } });
  await examples();
  await puzzles();
  await review();
  await swings();
  await doubleClicks();
  const page = await overlays();
  await reloadAndRestart(page);
  await records(page);
  await damagedFile();
  await twoPeople();
  await cutLink();
  await manyPages();
  await tryAgain();
  await otherTurns();
  await lateRefusal();
  await cutAnswer();
  await refusedOpinion();
  await refusedStream();
  await nextGraph();
  await ring();
  await hotStone({}, "light");
  await hotStone({ ...PHONE, ...DARK }, "phone-dark");
  for (const [options, name] of [[{}, "light"], [DARK, "dark"], [PHONE, "phone"], [{ ...PHONE, ...DARK }, "phone-dark"]]) {
    await newcomer(options, name);
    await causes(options, name);
    await puzzle(options, name);
    await escape(options, name);
    await ownRules(options, name);
    await laboratory(options, name);
  }
  await laboratoryByKeys();
  await sharedPoint();
  await withoutStone();
  await estimatedOnce();
  await unfinished();
  await refused();
  await contrast({}, "light");
  await contrast(DARK, "dark");
  for (const locale of ["en-GB", "de-DE", "fr-FR"]) {
    const language = { locale };
    await keysAlone(language, locale);
    await lessonsFit({ ...PHONE, ...language }, `phone-${locale}`);
    await accessible(language, `${locale}-light`);
    await accessible({ ...PHONE, ...language, ...DARK }, `${locale}-phone-dark`);
  }
  await accessible(DARK, "dark");
  await accessible(PHONE, "phone");
  await languages();
  await players();
  await early();
  await left();
  await choices();
  await komi();
  await continued();
  await exampleElsewhere();
  await gone();
  await links();
  assert.deepEqual(complaints, []);
  console.log("all well");
} finally {
  await end();
}
