#!/usr/bin/env node
// Runs a test program of `cargo test --target wasm32-unknown-unknown`, which says nothing there: it ends well, or it traps.

import { readFileSync } from "node:fs";

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]));
const status = instance.exports.main(0, 0);
console.log(status === 0 ? "all tests pass" : `ended with ${status}`);
process.exit(status);
