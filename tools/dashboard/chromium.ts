import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";

/** The headless shell comes first, because it needs a third less CPU time than the browser. */
const places = [
  process.env["CHROMIUM_PATH"],
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
];

/**
 * The path of Chromium, or of its headless shell, on this machine; undefined if neither was found.
 */
export const chromiumPath = places.find(
  (path): path is string => path !== undefined && existsSync(path),
);

/**
 * Starts Chromium without a window.
 * @throws Error if Chromium is not installed
 */
export async function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined) {
    throw new Error(
      "Chromium was not found. Set CHROMIUM_PATH, or install the package chromium-headless-shell or chromium.",
    );
  }
  return chromium.launch({
    executablePath: chromiumPath,
    // Chromium's sandbox cannot run as root, which is the usual user in containers.
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
}
