import { installClientPython } from "../../../scripts/clients/python.ts";

/**
 * Global set-up of vitest: installs the packages of the Python client once, before the test files
 * run. Otherwise, files that run at the same time would install them into the same folder. Without
 * Python, the files print why they skip their tests.
 */
export default async function installPython(): Promise<void> {
  await installClientPython();
}
