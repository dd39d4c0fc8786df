import { createHmac } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDataFolder } from "../../../tools/local/data-folder.ts";
import { serveFrom } from "../../../tools/local/local-server.ts";
import { webhookReceiver } from "../../../tools/local/webhook-receiver.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const body = JSON.stringify({
  id: "evt_1",
  type: "watchlist.product.changed",
  created_at: "2026-01-01T00:00:00Z",
  data: { changes: [{}, {}, {}] },
});

async function serve(dir = temporaryFolder()) {
  const lines: string[] = [];
  const folder = openDataFolder(dir, false);
  const server = await serveFrom(
    0,
    webhookReceiver(folder, (line) => lines.push(line)),
  );
  folder.release();
  onTestFinished(async () => server.close());
  const post = async (path: string, content: unknown, headers = {}) =>
    fetch(`${server.url}${path}`, {
      method: "POST",
      headers,
      body: typeof content === "string" ? content : JSON.stringify(content),
    });
  const deliveries = async () =>
    (await (await fetch(`${server.url}/deliveries`)).json()) as Record<string, unknown>[];
  return { lines, post, deliveries };
}

function signed(...secrets: string[]) {
  const signatures = secrets.map(
    (secret) => `v1=${createHmac("sha256", secret).update(`17.${body}`).digest("hex")}`,
  );
  return { "service-signature": ["t=17", ...signatures].join(",") };
}

describe("the local webhook receiver", () => {
  it("reports a valid signature if any signature in the header matches a registered secret", async () => {
    const { lines, post } = await serve();
    await post("/secrets", { secret: "whsec_b" });

    await post("/", body, signed("whsec_b"));
    await post("/hook", body, signed("whsec_a", "whsec_b"));

    const line = "webhook  watchlist.product.changed  evt_1  3 items  signature ok";
    expect(lines).toEqual([line, line]);
  });

  it('reports one item as "1 item"', async () => {
    const { lines, post } = await serve();
    await post("/", body.replace("[{},{},{}]", "[{}]"));

    expect(lines).toEqual([expect.stringContaining("  evt_1  1 item  ")]);
  });

  it.each([
    ["a signature with another secret", signed("whsec_x")],
    ["a delivery without a signature", {}],
    [
      "a signature for another time",
      { "service-signature": signed("whsec_b")["service-signature"].replace("17", "18") },
    ],
  ])(
    "reports a wrong signature for a delivery that the secret does not verify: %s",
    async (_name, headers) => {
      const { lines, post, deliveries } = await serve();
      await post("/secrets", { secret: "whsec_b" });

      await post("/", body, headers);

      expect(lines[0]).toContain("SIGNATURE WRONG");
      expect(await deliveries()).toMatchObject([{ verified: false }]);
    },
  );

  it("keeps the headers and the exact body of each delivery", async () => {
    const { post, deliveries } = await serve();
    const odd = '{ "type":"webhook.test" , "ü": 1e2 }';

    await post("/a/b", odd, { "Service-Attempt": "2" });

    expect(await deliveries()).toMatchObject([
      { path: "/a/b", body: odd, verified: null, headers: { "service-attempt": "2" } },
    ]);
  });

  it("responds with the status from a control request, for the number of deliveries in that request", async () => {
    const { post } = await serve();
    await post("/behavior", { status: 503, times: 2 });

    const statuses = [];
    for (let i = 0; i < 3; i += 1) statuses.push((await post("/", body)).status);

    expect(statuses).toEqual([503, 503, 200]);
  });

  it("checks signatures with its registered secrets after a restart", async () => {
    const dir = temporaryFolder();
    await (await serve(dir)).post("/secrets", { secret: "whsec_b" });

    const { lines, post } = await serve(dir);
    await post("/", body, signed("whsec_b"));

    expect(lines[0]).toContain("signature ok");
  });
});
