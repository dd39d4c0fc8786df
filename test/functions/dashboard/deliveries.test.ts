import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { WebhookDelivery } from "../../../functions/dashboard/browser/api/resources.ts";
import { curlOf } from "../../../functions/dashboard/browser/pages/webhooks/delivery-curl.ts";
import { daysOf } from "../../../functions/dashboard/browser/pages/webhooks/delivery-days.ts";

/** Returns the arguments that a shell passes to curl. */
const argumentsOf = (command: string): readonly string[] =>
  execFileSync("sh", ["-c", `curl() { printf '%s\\0' "$@"; }\n${command}`])
    .toString()
    .split("\0")
    .slice(0, -1);

describe("the curl command that the dashboard shows for a delivery", () => {
  it("sends the same headers and bytes to the same URL as the delivery, whatever characters the delivery contains", () => {
    const body = '{"name":"O\'Neill `x` $HOME \\\\n \\"q\\" é"}\n';
    const command = curlOf({
      url: "https://hooks.example.com/a?b=1&c=2",
      headers: { "Content-Type": "application/json", "Service-Signature": "t=1,v1=ab" },
      body,
    });
    expect(argumentsOf(command)).toEqual([
      "-X",
      "POST",
      "https://hooks.example.com/a?b=1&c=2",
      "-H",
      "Content-Type: application/json",
      "-H",
      "Service-Signature: t=1,v1=ab",
      "--data-binary",
      body,
    ]);
  });

  it("omits the headers that curl sets automatically", () => {
    const headers = { Host: "hooks.example.com", "content-length": "2", "User-Agent": "a" };
    const command = curlOf({ url: "https://hooks.example.com", headers, body: "{}" });
    expect(argumentsOf(command).filter((one) => one.includes(": "))).toEqual(["User-Agent: a"]);
  });
});

const delivery = (created_at: string, state: WebhookDelivery["state"], attempt_count: number) =>
  ({ created_at, state, attempt_count }) as WebhookDelivery;

describe("the dashboard's chart of an endpoint's health", () => {
  it("counts the deliveries of each UTC day by their result, oldest day first", () => {
    const days = daysOf([
      delivery("2026-11-28T00:00:00.000Z", "pending", 0),
      delivery("2026-11-27T23:59:59.999Z", "failed", 8),
      delivery("2026-11-27T08:00:00.000Z", "delivered", 1),
    ]);
    expect(days).toEqual([
      { date: "2026-11-27", delivered: 1, failed: 1, pending: 0, attempts: 9 },
      { date: "2026-11-28", delivered: 0, failed: 0, pending: 1, attempts: 0 },
    ]);
  });
});
