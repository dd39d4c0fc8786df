import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { environment } from "../../functions/environment.ts";
import { groups } from "../../functions/routes.ts";
import { buildApp } from "../../lib/build-app.ts";
import { sandboxSources } from "../../lib/config.ts";
import { nameOf, type Resource } from "./synthesize.ts";

const bytesOf = (file: string): number =>
  JSON.stringify(JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8"))).length;
const dashboardBytes = bytesOf("../../functions/dashboard/generated/assets.json");

describe("the bundles of the Lambda functions", () => {
  let outdir: string;
  let files: string[];
  beforeAll(() => {
    outdir = mkdtempSync(join(tmpdir(), "bundles-"));
    buildApp({ outdir, context: { stage: "dev" }, bundle: true }).synth();
    files = readdirSync(outdir)
      .filter((name) => name.startsWith("asset."))
      .map((name) => join(outdir, name, "index.mjs"));
  });
  afterAll(() => rmSync(outdir, { recursive: true }));

  it("each load alone as a module in Node, and export a handler", () => {
    expect(files).toHaveLength(Object.keys(environment).length);
    for (const file of files) expect(handlerOf(file)).toContain("function");
  });

  it("include generated files only for the function that serves the documentation", () => {
    const generated = new URL("../../functions/meta/generated", import.meta.url).pathname;
    const expected = readdirSync(generated, { recursive: true, encoding: "utf8" }).toSorted();
    const copies = files
      .map((file) => join(dirname(file), "generated"))
      .filter((folder) => existsSync(folder));
    expect(
      copies.map((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()),
    ).toEqual([expected]);
  });

  it("export a streaming handler without a wrapper, so that Lambda recognizes it as streaming", () => {
    const marked = files
      .map((file) => handlerOf(file))
      .filter((found) => found.includes("streams"));
    const streaming = Object.values(groups).filter((group) => group.streaming);
    expect(marked).toHaveLength(streaming.length);
  });

  it("are smaller than 518 KB, plus a fixed size for the clients and routes that only some functions contain", () => {
    const more = [
      ["PutObject", 87_000],
      ["CreateSchedule", 20_000],
      ["PutEvents", 20_000],
      // The writer of Parquet files, which is loaded at the first file.
      [".parquet", 70_000],
      // The routes of watchlists: among them the back-test, which contains the run engine, the lists of
      // changes, and the search and order of items.
      ["removed_items", 130_000],
      // The ledger, with which the routes of watchlists charge a preview.
      ["watchlist_preview", 80_000],
      // The server of the Model Context Protocol (442 KB), the conversion of schemas to JSON Schema, and the
      // ledger, with which its tools charge items.
      ["io.modelcontextprotocol/protocolVersion", 560_000],
      ["AssumeRole", 60_000],
      // The source adapters, and the clients that read their secrets: among them the forest that
      // finds prices (96 KB) and the CSS selectors of rules for a shop.
      ["GetSecretValue", 400_000],
    ] as const;
    for (const file of files) {
      const code = readFileSync(file, "utf8");
      const allowed = more.filter(([action]) => code.includes(action)).map(([, bytes]) => bytes);
      expect(code.length).toBeLessThan(allowed.reduce((sum, bytes) => sum + bytes, 518_000));
    }
  });

  it("are smaller than 328 KB for public documents, including the client that counts calls", () => {
    // It also reads the health of the sources.
    expect(sizeOf("platforms")).toBeLessThan(328_000);
    expect(sizeOf("meta")).toBeLessThan(313_000);
    // The function of the dashboard uses no AWS client.
    expect(sizeOf("dashboard") - dashboardBytes).toBeLessThan(85_000);
  });

  /** Bytes of a function's bundle, whose asset the template names. */
  function sizeOf(name: string): number {
    const template = readFileSync(
      join(outdir, "RetailProductData-dev-service.template.json"),
      "utf8",
    );
    const { Resources } = JSON.parse(template) as { Resources: Record<string, Resource> };
    const found = Object.values(Resources).find(
      ({ Type, Properties }) => Type === "AWS::Lambda::Function" && nameOf(Properties) === name,
    );
    if (found === undefined) throw new Error(`No function ${name}.`);
    const { S3Key } = found.Properties["Code"] as { readonly S3Key: string };
    const folder = `asset.${S3Key.replace(/\.zip$/, "")}`;
    return readFileSync(join(outdir, folder, "index.mjs")).length;
  }
});

/** Loads the bundle as Lambda does: in a process that cannot reach this repository's packages. */
function handlerOf(file: string): string {
  const variables = Object.values(environment)
    .flat()
    .map((name) => [name, "x"]);
  const sources = JSON.stringify(sandboxSources);
  return execFileSync(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `globalThis.awslambda = { streamifyResponse: (handler) => Object.assign(handler, { streams: true }) };
       const { handler } = await import(${JSON.stringify(`file://${file}`)});
       process.stdout.write(typeof handler + (handler.streams === true ? " that streams" : ""));`,
    ],
    {
      encoding: "utf8",
      cwd: tmpdir(),
      env: {
        ...(Object.fromEntries(variables) as Record<string, string>),
        AWS_REGION: "us-east-1",
        SOURCES: sources,
        RESPONSE_MODE: "stream",
      },
    },
  );
}
