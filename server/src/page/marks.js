// What is on a point, and the marks on it: for the board and for the legend below it. The unit is
// the distance between two points.

import { svg } from "./elements.js";

export function stone(cx, cy, isBlack) {
  return svg("circle", { cx, cy, r: 0.465, class: isBlack ? "stone black" : "stone white" });
}

export function tile(x, y, height) {
  const group = svg("g", { class: "tile" });
  group.append(svg("rect", { x: x - 0.48, y: y - 0.48, width: 0.96, height: 0.96, rx: 0.1 }));
  if (height > 1) group.append(svg("text", { x: x + 0.36, y: y + 0.38 }, height));
  return group;
}

export function owned(x, y, side) {
  return svg("rect", { x: x - 0.5, y: y - 0.5, width: 1, height: 1, class: `owner ${side}` });
}

/** A ring at the edge of the stone and a flame in its middle. */
export function flame(x, y) {
  const group = svg("g", { class: "hot" });
  const ring = { cx: x, cy: y, r: 0.42 };
  group.append(svg("circle", { class: "under", ...ring, r: 0.415 }), svg("circle", ring), svg("path", {
    d: `M${x},${y - 0.24}c0.05,0.14 0.18,0.18 0.18,0.34a0.18,0.18 0 0 1 -0.36,0c0,-0.09 0.05,-0.14 0.08,-0.2c0.03,0.05 0.05,0.07 0.08,0.08c0.01,-0.08 0,-0.15 0.02,-0.22z`,
  }));
  return group;
}

/**
 * The last move. On a hot stone, the ring runs between the flame and the stone's other ring, and
 * touches neither.
 */
export function lastRing(cx, cy, on, isHot = false) {
  return svg("circle", { cx, cy, r: isHot ? 0.33 : 0.2, class: `last ${on}`, "stroke-width": isHot ? 0.05 : 0.07 });
}

export function wedge(x, y, on) {
  return svg("path", { d: `M${x - 0.14},${y - 0.43}h0.28l-0.14,0.19z`, class: `incursion ${on}` });
}

/** A point where no stone may be placed, or whose stone will be removed. */
export function cross(x, y) {
  const reach = 0.17;
  const d = `M${x - reach},${y - reach}l${2 * reach},${2 * reach}m0,${-2 * reach}l${-2 * reach},${2 * reach}`;
  const group = svg("g", { class: "cross" });
  group.append(svg("path", { class: "under", d }), svg("path", { d }));
  return group;
}

/** A point that a ban forbids now. */
export function ban(x, y) {
  const reach = 0.1;
  const group = svg("g", { class: "ban" });
  group.append(svg("circle", { cx: x, cy: y, r: 0.16 }), svg("path", { d: `M${x - reach},${y - reach}l${2 * reach},${2 * reach}` }));
  return group;
}

/** A point where a stone may be placed under one of two rule sets, whose letter it has. */
export function onlyOne(x, y, letter) {
  const group = svg("g", { class: `only ${letter.toLowerCase()}` });
  group.append(svg("rect", { x: x - 0.24, y: y - 0.24, width: 0.48, height: 0.48, rx: 0.08 }), svg("text", { x, y }, letter));
  return group;
}

/**
 * A number on a point, in per cent: how much larger its value is under the first rule set than
 * under the second.
 */
export function difference(x, y, share) {
  const group = svg("g", { class: share > 0 ? "differs a" : "differs b" });
  const opacity = (0.35 + 0.65 * Math.sqrt(Math.min(1, Math.abs(share) / 0.5))).toFixed(3);
  group.append(svg("circle", { cx: x, cy: y, r: 0.44, "fill-opacity": opacity }), svg("text", { x, y }, signed(share)));
  return group;
}

/** A share in per cent, with its sign. */
export function signed(share) {
  const percent = Math.round(100 * share);
  return percent === 0 ? "0" : `${percent > 0 ? "+" : "−"}${Math.abs(percent)}`;
}

/** Where the last turn removed a stone. */
export function removed(cx, cy, side) {
  return svg("circle", { cx, cy, r: 0.17, class: `removed ${side}` });
}

/** A move's probability, from 0 to 1, shown in per cent. */
export function heat(x, y, share, isLikeliest) {
  const group = svg("g", { class: isLikeliest ? "heat likeliest" : "heat" });
  group.append(
    svg("circle", { cx: x, cy: y, r: 0.44, "fill-opacity": (0.12 + 0.78 * Math.sqrt(Math.min(1, share / 0.3))).toFixed(3) }),
    svg("text", { x, y }, Math.round(100 * share)),
  );
  return group;
}

/** The expected ownership of a point at the end: positive for Black, negative for White. */
export function holder(x, y, lead) {
  const side = 0.62 * Math.sqrt(Math.abs(lead));
  return svg("rect", { x: x - side / 2, y: y - side / 2, width: side, height: side, rx: 0.05, class: lead > 0 ? "final black" : "final white" });
}

/** The shading of stones, which every picture in the page refers to. */
export function definitions() {
  const all = svg("svg", { class: "definitions", "aria-hidden": "true" });
  for (const name of ["black", "white"]) {
    const shade = svg("radialGradient", { id: `${name}-stone`, cx: "36%", cy: "30%", r: "75%" });
    shade.append(svg("stop", { offset: "0%", class: `${name}-light` }), svg("stop", { offset: "100%", class: `${name}-dark` }));
    all.append(shade);
  }
  return all;
}
