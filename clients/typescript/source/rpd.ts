#!/usr/bin/env node
import { run } from "./command/run.ts";

// `rpd ... | head` closes the output early.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE")
    process.stderr.write(
      `The output was not written: ${error.message}. Check the file or command that receives it.\n`,
    );
  process.exit(error.code === "EPIPE" ? 0 : 1);
});
// A command that waits for standard input does not notice the abort signal of Ctrl-C. This exit
// ends such a command after a second.
process.once("SIGINT", () => setTimeout(() => process.exit(130), 1_000).unref());
process.exitCode = await run(process.argv.slice(2), {
  // Waits until the reader of the output takes more text. Otherwise, the command would read and pay
  // for items whose results are never used.
  write: (text) =>
    process.stdout.write(text)
      ? undefined
      : new Promise((resolve) => void process.stdout.once("drain", resolve)),
  warn: (text) => void process.stderr.write(text),
});
