import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";

const places = [process.env["CHROMIUM_PATH"], "/usr/bin/chromium", "/usr/bin/chromium-browser"];

/** The path of Chromium on this machine; undefined if there is none. */
export const chromiumPath = places.find(
  (path): path is string => path !== undefined && existsSync(path),
);

/**
 * Starts Chromium.
 * @throws Error if this machine has none
 */
export async function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined) {
    throw new Error("Chromium was not found. Set CHROMIUM_PATH, or install the package chromium.");
  }
  return chromium.launch({
    executablePath: chromiumPath,
    // Chromium's sandbox requires a user other than root, which containers often lack.
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
}
