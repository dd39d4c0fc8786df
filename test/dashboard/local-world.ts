import type { TestProject } from "vitest/node";
import { chromiumPath } from "../../tools/dashboard/chromium.ts";
import { type Ready, startRunningWorld } from "../support/running-world.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The content of `ready.json` of the local world; undefined if Chromium is not installed. */
    localWorld: Ready | undefined;
  }
}

/**
 * Global set-up of vitest: starts one local world for all test files, because each start takes some
 * five seconds of processor time. Each file opens a separate account. Returns the function that
 * stops the world.
 */
export default async function provideWorld(project: TestProject): Promise<() => Promise<void>> {
  if (chromiumPath === undefined) {
    project.provide("localWorld", undefined);
    return async () => {};
  }
  const world = await startRunningWorld();
  project.provide("localWorld", world.ready);
  return () => world.dispose();
}
