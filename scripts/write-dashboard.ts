/** Generates the files of the dashboard. The dashboard function serves them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { runCommand } from "../tools/command-line/command-line.ts";
import { dashboardAssets } from "../tools/dashboard/assets.ts";

const commandLine = {
  name: "npm run dashboard",
  about: "Bundles the dashboard into functions/dashboard/generated.",
  options: {},
  examples: [""],
} as const;

await runCommand(commandLine, async () => {
  const { path, text } = dashboardAssets();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
});
