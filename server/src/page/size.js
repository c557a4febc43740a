// Board sizes: a number for a square board, otherwise a text such as "5x7" for columns and rows.

import { say } from "./words.js";

/** The columns and rows of a board. */
export function sides(size) {
  const [columns, rows = columns] = String(size).split("x").map(Number);
  return { columns, rows };
}

/** The size chosen in two fields; the one for rows is empty for a square board. */
export function chosenSize(columnsField, rowsField) {
  const columns = Number(columnsField.value);
  const rows = Number(rowsField.value) || columns;
  return plainSize(`${columns}x${rows}`);
}

/** A size as it is written here: that of a square board as a number, even if both sides are named. */
export function plainSize(size) {
  const { columns, rows } = sides(size);
  return columns === rows ? columns : size;
}

/** A size for people. */
export function sizeInWords(size) {
  const { columns, rows } = sides(size);
  return `${columns} × ${rows}`;
}

/**
 * The options for the choice of rows next to that of columns: empty for a square board, or a number
 * of rows.
 */
export const rowsInWords = (counts) => [["", say("square")], ...counts.map((count) => [count, say("{count} rows", { count })])];
