#!/usr/bin/env node
import { run } from "./command/run.ts";

// `rpd ... | head` closes the output early.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE")
    process.stderr.write(`The output was not written: ${error.message}\n`);
  process.exit(error.code === "EPIPE" ? 0 : 1);
});
process.exitCode = await run(process.argv.slice(2), {
  write: (text) => void process.stdout.write(text),
  warn: (text) => void process.stderr.write(text),
});
