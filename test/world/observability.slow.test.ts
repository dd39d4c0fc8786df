import type { Context } from "aws-lambda";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createHandler as createSweeper } from "../../functions/sweeper/handler.ts";
import { startTestWorld, type World } from "../support/local-world.ts";
import { type Line, metricsOf, valuesOf } from "../support/log-lines.ts";
import { eventually } from "../support/running-world.ts";

const canary = "canary-of-this-test";
const ids = ["9000000", "9000001", "9000002"];

let world: World;
let webhookSecret: string;
let watchlistId: string;
const lines: Line[] = [];
let written = "";

/** Uses the service as customers do, and collects the log lines of the functions. */
beforeAll(async () => {
  const { POWERTOOLS_LOG_LEVEL: usual } = process.env;
  process.env["POWERTOOLS_LOG_LEVEL"] = "INFO";
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, "write").mockImplementation((text) => {
      written += String(text);
      return true;
    });
  }
  world = await startTestWorld();
  try {
    await useService();
  } finally {
    vi.restoreAllMocks();
    process.env["POWERTOOLS_LOG_LEVEL"] = usual;
  }
  const texts = written.split("\n").filter((text) => text.startsWith("{"));
  lines.push(...texts.map((text) => JSON.parse(text) as Line));
});
afterAll(() => world.stop());

async function call(
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${world.baseUrl}/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${world.apiKey}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Record<string, unknown>;
}

const dataOf = (page: Record<string, unknown>): readonly Record<string, unknown>[] =>
  Object.values(page).find((value) => Array.isArray(value)) as Record<string, unknown>[];

async function useService(): Promise<void> {
  const endpoint = await call("POST", "/webhook_endpoints", { url: world.receiverUrl });
  webhookSecret = String(endpoint["secret"]);
  await call("PUT", "/s3_destination", {
    bucket: world.customerBucket,
    region: "us-east-1",
    endpoint: world.bucketEndpoint,
    force_path_style: true,
    auth: "access_key",
    access_key_id: "customer",
    secret_access_key: canary,
  });
  await fetch(`${world.baseUrl}/v1/products?api_key=${world.apiKey}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ platform: "retailer_d", ids }),
  });
  await call("GET", `/usage?other=${canary}`);
  await call("GET", "/structured");
  await call("GET", "/watchlists/wl_nobody");
  const list = { name: canary, platform: "retailer_d", ids, every: "1h" };
  watchlistId = String((await call("POST", "/watchlists", list))["id"]);
  await eventually("the run, its webhooks and its export", 120, async () => {
    const [run] = dataOf(await call("GET", `/watchlists/${watchlistId}/runs`));
    const [exported] = dataOf(await call("GET", "/s3_destination/exports"));
    const sent = dataOf(await call("GET", "/webhook_deliveries"));
    const isSent = sent.length > 0 && sent.every(({ state }) => state === "delivered");
    return run?.["status"] === "completed" && exported?.["state"] === "done" && isSent
      ? true
      : undefined;
  });
  // The last worker may not have written its log line yet.
  await eventually("the last message's line", 30, async () =>
    written.includes('"export_succeeded":1') && written.includes('"runs_completed":1')
      ? true
      : undefined,
  );
  await createSweeper(world.environmentOf("sweeper"))({}, {
    awsRequestId: "sweep-1",
    getRemainingTimeInMillis: () => 60_000,
  } as Context);
}

const by = (service: string): readonly Line[] =>
  lines.filter((line) => line["service"] === service);
const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

describe("the log lines of the Lambda functions", () => {
  it("name their stage and service, and contain only metrics that CloudWatch accepts", () => {
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) {
      expect(line).toMatchObject({ stage: "dev", service: expect.any(String) as unknown });
      metricsOf(line);
    }
  });

  it("contain no API key, no secret, no query and no text that a customer wrote", () => {
    expect(webhookSecret).toMatch(/^whsec_/);
    for (const secret of [world.apiKey, webhookSecret, canary, "api_key="]) {
      expect(written).not.toContain(secret);
    }
  });

  it("trace a run by watchlist and number from its start to its deliveries", () => {
    const run = {
      account_id: expect.stringMatching(/^acct_/) as unknown,
      watchlist_id: watchlistId,
    };
    const numbered = { ...run, run_number: 1 };
    const batch = { run_id: expect.stringMatching(/^wlrun_/) as unknown, batch: 0 };
    const message = { message: "message", outcome: "done", attempt: 1 };

    expect(by("watchlists")).toContainEqual(
      expect.objectContaining({ message: "call", route: "POST /v1/watchlists", ...run }),
    );
    expect(by("run-starter")).toContainEqual(
      expect.objectContaining({ ...message, ...numbered, run_id: batch.run_id }),
    );
    expect(by("run-step")).toContainEqual(
      expect.objectContaining({ ...message, ...numbered, ...batch, step: expect.anything() }),
    );
    const [{ run_id: runId } = {}] = by("run-step");
    expect(by("run-finisher")).toContainEqual(
      expect.objectContaining({ ...message, ...numbered, run_id: runId }),
    );
    for (const target of ["s3_destination", expect.stringMatching(/^we_/) as unknown]) {
      expect(by("delivery")).toContainEqual(
        expect.objectContaining({
          ...message,
          target_id: target,
          run_ids: runId,
          watchlist_ids: watchlistId,
        }),
      );
    }
  });

  // The service does not always record the health of a source: on a slow machine, the request can
  // take longer than the limit of 300 ms.
  const isRequired = (line: Readonly<Record<string, unknown>>): boolean =>
    line["message"] !==
    "source health not recorded; these reads are missing from the source's health";

  it("include one final line for each call and each queue message", () => {
    for (const service of ["products", "watchlists", "account", "s3-destination"]) {
      const messages = by(service)
        .filter(isRequired)
        .map((line) => line["message"]);
      expect(new Set(messages)).toEqual(new Set(messages.length > 0 ? ["call"] : []));
    }
    for (const service of ["run-starter", "run-step", "run-finisher", "delivery"]) {
      const ends = by(service)
        .filter(isRequired)
        .map((line) => [line["message"], line["message_id"], line["attempt"]]);
      expect(new Set(ends.map((end) => JSON.stringify(end))).size).toBe(ends.length);
      expect(ends.every(([text]) => text === "message")).toBe(true);
    }
  });
});

describe("the metrics of the Lambda functions count", () => {
  it("calls by group and status", () => {
    const classesOf = (service: string): unknown[] =>
      by(service).flatMap((line) => (metricsOf(line)["calls"] ? [line["status_class"]] : []));

    expect(classesOf("products")).toEqual(["2xx"]);
    expect(classesOf("watchlists")).toEqual(expect.arrayContaining(["2xx", "4xx"]));
  });

  it("the items and credits of an item call and of a run once", () => {
    for (const service of ["products", "run-step"]) {
      const items = valuesOf(by(service), "items", "items_ok");
      const credits = (name: "credits_reserved" | "credits_charged" | "credits_refunded") =>
        sum(valuesOf(by(service), "credits", name));

      expect(sum(items)).toBeGreaterThan(0);
      expect(sum(items)).toBeLessThanOrEqual(ids.length);
      expect(credits("credits_charged")).toBeGreaterThan(0);
      expect(credits("credits_reserved")).toBe(
        credits("credits_charged") + credits("credits_refunded"),
      );
    }
  });

  it("the start, the batches, the steps and the end of each run", () => {
    expect(valuesOf(lines, "run_starts", "runs_started")).toEqual([1]);
    expect(valuesOf(lines, "run_starts", "run_late_ms")).toHaveLength(1);
    expect(valuesOf(lines, "batches", "batch_ms")).toHaveLength(1);
    const [step = -1] = valuesOf(lines, "steps", "step_ms");
    expect(step).toBeGreaterThanOrEqual(0);
    expect(step).toBeLessThan(60_000);
    expect(valuesOf(lines, "run_ends", "runs_completed")).toEqual([1]);
    expect(valuesOf(lines, "run_ends", "runs_failed")).toEqual([0]);
    expect(valuesOf(lines, "run_ends", "run_ms")).toHaveLength(1);
  });

  it("delivery attempts, receivers and exports", () => {
    const delivered = sum(valuesOf(lines, "deliveries", "delivery_succeeded"));
    expect(delivered).toBeGreaterThan(0);
    expect(sum(valuesOf(lines, "deliveries", "delivery_attempts"))).toBe(delivered);
    expect(valuesOf(lines, "deliveries", "delivery_ms")).toHaveLength(delivered);
    expect(valuesOf(lines, "deliveries", "delivery_late_ms").length).toBeGreaterThan(0);
    expect(sum(valuesOf(lines, "exports", "export_succeeded"))).toBe(1);
    expect(sum(valuesOf(lines, "receivers", "receivers_tried"))).toBeGreaterThanOrEqual(2);
    expect(sum(valuesOf(lines, "receivers", "receivers_failing"))).toBe(0);
  });

  it("each pass of the sweeper, including one that finds nothing", () => {
    const swept = by("sweeper").find((line) => line["invocation_id"] === "sweep-1") ?? {};

    expect(metricsOf(swept)).toMatchObject({ sweeps: [1], sweep_failures: [0], swept_lists: [0] });
  });
});
