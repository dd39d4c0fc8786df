import { describe, expect, it } from "vitest";
import { groups } from "../../functions/routes.ts";
import { afterReadingMs } from "../support/after-reading.ts";
import { limits } from "../../shared/base/limits.ts";
import { functionIds, propertiesOf, resourcesOf, synthesize } from "./synthesize.ts";

const { dependencies, gatewaySeconds, clientSeconds } = limits;
const modes = {
  streamed: synthesize("prod", { responseMode: "stream" }).service,
  buffered: synthesize("prod", { responseMode: "buffered" }).service,
};
type Mode = keyof typeof modes;

function timeoutMs(mode: Mode, name: string): number {
  const functions = resourcesOf(modes[mode], "AWS::Lambda::Function");
  const properties = functions[functionIds(modes[mode]).get(name) ?? ""]?.Properties;
  return Number(properties?.["Timeout"]) * 1_000;
}
const itemGroups = Object.entries(groups).flatMap(([name, { itemCalls }]) =>
  itemCalls ? [name] : [],
);
const cases = (["streamed", "buffered"] as const).flatMap((mode) =>
  itemGroups.map((name) => [name, mode] as const),
);
/**
 * The default timeout of one try for most adapters (`shared/sources/registry/adapter-options.ts`).
 */
const sourceTryMs = 15_000;
const deadlines = [
  ["products", limits.callDeadlineSeconds],
  ["offers", limits.offersDeadlineSeconds],
  ["offerCheck", limits.offerCheckDeadlineSeconds],
] as const;

describe("the timeout of a call that charges", () => {
  it("covers a settlement that uses up its time limit for failed requests and then sends its remaining requests", () => {
    const { settleMs, settleLossMs, settleRequestsMax, ledgerRequestMs } = dependencies;
    // The first of the requests is within `settleLossMs`, so it adds no time.
    const worstMs = settleLossMs + (settleRequestsMax - 1) * ledgerRequestMs;
    expect(worstMs).toBeLessThanOrEqual(settleMs);
  });

  it("covers the cancellation of the charge and the sending of the response after the settlement", () => {
    const { answerSpareMs, cancelMs, sendMs } = dependencies;
    expect(cancelMs + sendMs).toBeLessThanOrEqual(answerSpareMs);
  });

  it.each(cases)(
    "for the function '%s' is at least the gateway's timeout for a call in the mode '%s'",
    (name, mode) => {
      expect(timeoutMs(mode, name)).toBeGreaterThanOrEqual(gatewaySeconds[mode] * 1_000);
    },
  );

  it.each(itemGroups)(
    "leaves a streamed call of the function '%s' enough time to settle and respond after the longest allowed reads",
    (name) => {
      const endMs = Math.min(timeoutMs("streamed", name), gatewaySeconds.streamed * 1_000);
      expect(limits.callDeadlineSeconds * 1_000 + afterReadingMs).toBeLessThanOrEqual(endMs);
    },
  );

  it.each([...itemGroups, "watchlists"])(
    "leaves a buffered call of the function '%s' enough time for one attempt to read a source",
    (name) => {
      const endMs = Math.min(timeoutMs("buffered", name), gatewaySeconds.buffered * 1_000);
      expect(endMs - afterReadingMs).toBeGreaterThanOrEqual(sourceTryMs);
    },
  );

  it("is at least the timeout of the gateway integration if the call is streamed", () => {
    const waits = propertiesOf(modes.streamed, "AWS::ApiGateway::Method").flatMap((method) => {
      const integration = method["Integration"] as { readonly TimeoutInMillis?: number };
      return integration.TimeoutInMillis ?? [];
    });
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(gatewaySeconds.streamed * 1_000);
  });

  it.each(deadlines)(
    "ends before the clients stop waiting for the response to the call '%s'",
    (route, deadline) => {
      const answeredMs = deadline * 1_000 + afterReadingMs;
      expect(answeredMs).toBeLessThanOrEqual(clientSeconds[route] * 1_000);
    },
  );
});

it("a step worker stores its results before its Lambda timeout, even if it uses up its retry budget after the reads", () => {
  const { workerLossMs, workerSpareMs } = dependencies;
  const worstMs = limits.stepDeadlineSeconds * 1_000 + workerLossMs + workerSpareMs;
  expect(worstMs).toBeLessThanOrEqual(timeoutMs("buffered", "run-step"));
});
