import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";

const places = [process.env["CHROMIUM_PATH"], "/usr/bin/chromium", "/usr/bin/chromium-browser"];

/** Where this machine has a Chromium; undefined when it has none. */
export const chromiumPath = places.find(
  (path): path is string => path !== undefined && existsSync(path),
);

/** @throws Error when this machine has no Chromium */
export async function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined) {
    throw new Error(
      "There is no Chromium here: set CHROMIUM_PATH, or install the package chromium.",
    );
  }
  return chromium.launch({
    executablePath: chromiumPath,
    // Its sandbox wants a user other than root, which containers often lack.
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
}
