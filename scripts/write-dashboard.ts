/** Writes the files of the dashboard, which the dashboard function serves. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { dashboardAssets } from "../tools/dashboard/assets.ts";

const { path, text } = dashboardAssets();
mkdirSync(dirname(path), { recursive: true });
writeFileSync(path, text);
