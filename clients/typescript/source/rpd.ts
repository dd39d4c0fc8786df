#!/usr/bin/env node
import { run } from "./command/run.ts";

// `rpd ... | head` closes the output early.
process.stdout.on("error", () => process.exit(0));
process.exitCode = await run(process.argv.slice(2), {
  write: (text) => void process.stdout.write(text),
  warn: (text) => void process.stderr.write(text),
});
