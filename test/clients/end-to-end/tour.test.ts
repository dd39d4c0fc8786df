import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { root } from "../../../scripts/clients/document.ts";
import { installClientPython } from "../../../scripts/clients/python.ts";

/** Runs the tour with a client. Returns its result, and its steps. */
async function tourWith(client: string): Promise<{ readonly result: unknown; steps: string }> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    join(root, "scripts/tour.ts"),
    "--json",
    "--client",
    client,
  ]);
  return { result: JSON.parse(stdout), steps: stderr };
}

const steps = (client: string): string[] => [
  `${client} reads all products in order`,
  `${client} accepts all deliveries`,
  `${client} refuses a changed body`,
  `${client} proves both exports complete and reads the same events`,
];

it("the TypeScript client completes every step of the tour script", async () => {
  const { result, steps: printed } = await tourWith("typescript");
  expect(result).toMatchObject({ client: "typescript", checks: expect.any(Number) });
  for (const step of steps("the TypeScript client")) expect(printed).toContain(`✓ ${step}`);
});

const python = await installClientPython();
if (python.outcome === "absent")
  process.stdout.write(`The tour with the Python client did not run: ${python.why}\n`);
it.skipIf(python.outcome === "absent")(
  "the Python client completes every step of the tour script",
  async () => {
    const { result, steps: printed } = await tourWith("python");
    expect(result).toMatchObject({ client: "python", checks: expect.any(Number) });
    for (const step of steps("the Python client")) expect(printed).toContain(`✓ ${step}`);
  },
);
