import { describe, expect, it } from "vitest";
import { startLambdaHost } from "../../../tools/local/lambda-host.ts";
import { resolveTemplates } from "../../../tools/local/template.ts";
import { loadFixture } from "./fixture-handlers.ts";
import { fixtureStacks } from "./fixture-stacks.ts";

const templates = resolveTemplates(fixtureStacks, "http://127.0.0.1:4566/000000000000");

async function hostOf(handlers: Parameters<typeof loadFixture>[0] = {}) {
  return startLambdaHost({ templates, log: () => {}, loadHandler: loadFixture(handlers) });
}

describe("startLambdaHost, which runs the functions of a local world,", () => {
  it("gives a function the environment variables of its template, with local values for overridden variables", async () => {
    const host = await hostOf();

    const answer = (await host.byName("echo").invoke({})) as { body: string };

    expect(JSON.parse(answer.body)).toMatchObject({
      overrides: { allowLoopback: true, forcePathStyle: true },
    });
    expect((JSON.parse(answer.body) as { environment: unknown }).environment).toEqual({
      POWERTOOLS_SERVICE_NAME: "echo",
      ROWS_TABLE: "Fixture-data-Rows",
      JOBS_URL: "http://127.0.0.1:4566/000000000000/Fixture-service-Jobs",
      JOBS_ARN: "arn:aws:sqs:us-east-1:000000000000:Fixture-service-Jobs",
      GREETING: "hello",
    });
  });

  it("overrides only variables that the function's template has", async () => {
    const host = await startLambdaHost({
      templates,
      log: () => {},
      loadHandler: loadFixture(),
      replaceVariable: (name, value) => (name === "GREETING" ? `${value}!` : value),
    });

    expect(host.byName("echo").environment["GREETING"]).toBe("hello!");
    expect(host.byName("sweeper").environment).toEqual({ POWERTOOLS_SERVICE_NAME: "sweeper" });
  });

  it("runs only the functions whose name a template stores in a variable", async () => {
    const host = await hostOf();

    expect(() => host.byName("ghost")).toThrow("No template creates the function ghost");
    expect(host.functions.map(({ name }) => name)).not.toContain(undefined);
    expect(host.functions).toHaveLength(6);
  });

  it("passes the remaining time of an invocation to the handler", async () => {
    const host = await hostOf({
      quick: (_event, context: { getRemainingTimeInMillis(): number; functionName: string }) => [
        context.functionName,
        context.getRemainingTimeInMillis(),
      ],
    });

    const [name, left] = (await host.byName("quick").invoke({})) as [string, number];

    expect(name).toBe("quick");
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(1_000);
  });

  it("fails an invocation that exceeds the timeout in the function's template", async () => {
    const host = await hostOf({ quick: () => new Promise(() => {}) });

    await expect(host.byName("quick").invoke({})).rejects.toThrow("exceeded its timeout of 1 s");
  });

  it("fails every call of a function that cannot be loaded, and runs all other functions", async () => {
    const lines: string[] = [];
    const host = await startLambdaHost({
      templates,
      log: (line) => lines.push(line),
      loadHandler: async (name) => {
        if (name === "echo") throw new Error("no such file");
        return loadFixture()(name);
      },
    });

    await expect(host.byName("echo").invoke({})).rejects.toThrow("could not start");
    await expect(host.byName("quick").invoke({})).resolves.toBeDefined();
    expect(lines).toEqual(["function echo cannot start: no such file"]);
  });
});
