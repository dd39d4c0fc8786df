import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { chromiumPath } from "../../tools/dashboard/chromium.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The WebSocket URL of the browser; undefined if Chromium is not installed. */
    browserEndpoint: string | undefined;
  }
}

/**
 * Global set-up of vitest: starts one browser for all test files, because each start takes a second
 * of processor time. Returns the function that stops it.
 */
export default async function provideBrowser(project: TestProject): Promise<() => Promise<void>> {
  if (chromiumPath === undefined) {
    project.provide("browserEndpoint", undefined);
    return async () => {};
  }
  const server = await chromium.launchServer({
    executablePath: chromiumPath,
    // Chromium's sandbox cannot run as root, which is the usual user in containers.
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
  project.provide("browserEndpoint", server.wsEndpoint());
  return () => server.close();
}
