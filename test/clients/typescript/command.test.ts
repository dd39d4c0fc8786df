import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { run } from "../../../clients/typescript/source/command/run.ts";
import { feed } from "../../../clients/typescript/source/command/feed.ts";
import { Client, verifyWebhook } from "../../../clients/typescript/source/index.ts";
import { failure, startScriptedService } from "./scripted-service.ts";

/** Runs a command against a scripted service. */
async function rpd(args: readonly string[], ...[answer]: Parameters<typeof startScriptedService>) {
  const service = await startScriptedService(answer);
  onTestFinished(() => service[Symbol.asyncDispose]());
  const printed = { output: "", warnings: "" };
  const code = await run([...args, "--base-url", service.baseUrl], {
    write: (one) => void (printed.output += one),
    warn: (one) => void (printed.warnings += one),
  });
  return { ...printed, code, calls: service.calls };
}

/** Runs a command that calls no service. */
const offline = (args: readonly string[]) => rpd(args, () => failure(500, "INTERNAL"));

function fileWith(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), "rpd-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "items.csv");
  writeFileSync(path, content);
  return path;
}

const product = (id: string, title: string) => ({
  id,
  status: "ok",
  title,
  price: { amount: 9.5, currency: "USD" },
  availability: { inStock: true },
});

const catalog: Parameters<typeof startScriptedService>[0] = ({ url, body }) => {
  if (url === "/v1/account") return { body: { concurrency: { limit: 2 } } };
  if (url === "/v1/platforms") {
    const tiers = [{ id: "standard", max_items_per_call: 2 }];
    return { body: { data: [{ id: "retailer_d", endpoints: [{ id: "products", tiers }] }] } };
  }
  const { ids } = body as { ids: string[] };
  if (ids.includes("9000005")) return failure(402, "INSUFFICIENT_CREDITS");
  return { body: { results: ids.map((id) => product(id, '=A "kettle"\u001b[2J')), credits: 1 } };
};
const reading = ["products", "--platform", "retailer_d"];

describe("the command 'rpd products'", () => {
  it("prints a table without control characters", async () => {
    const { output, code } = await rpd([...reading, "9000001"], catalog);
    expect(code).toBe(0);
    expect(output).toBe(
      [
        "id       status  price  currency  in_stock  title",
        '9000001  ok      9.5    USD       true      =A "kettle" [2J',
        "",
      ].join("\n"),
    );
  });

  it("prints CSV with quoted cells, and without formulas that a spreadsheet would execute", async () => {
    const { output } = await rpd([...reading, "9000001", "--csv"], catalog);
    expect(output.split("\n")[1]).toBe(`9000001,ok,9.5,USD,true,"'=A ""kettle""\u001b[2J"`);
  });

  it("prints one line of JSON for each ID in a file", async () => {
    const file = fileWith(
      '\uFEFFname,sku\r\n"Kettle, red",9000001\r\nPot,9000002\r\nCup,9000003\r\n',
    );
    const { output, calls } = await rpd([...reading, "--from", file, "--json"], catalog);
    const ids = output
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { id: string }).id);
    expect(ids).toEqual(["9000001", "9000002", "9000003"]);
    expect(calls.filter(({ url }) => url === "/v1/products")).toHaveLength(2);
  });

  it("reads a CSV cell with line breaks as one cell, and refuses a quoted cell without a closing quote", async () => {
    const file = fileWith('id,note\n9000001,"a\n9000002,b"\n9000003,c\n');
    const { output } = await rpd([...reading, "--from", file, "--csv"], catalog);
    expect(output.match(/^9\d+/gm)).toEqual(["9000001", "9000003"]);
    const open = fileWith('id,note\n9000001,"a\n9000002,b\n');
    const failed = await rpd([...reading, "--from", open, "--csv"], catalog);
    expect(failed).toMatchObject({ code: 2 });
    expect(failed.warnings).toContain(
      "The quoted cell that begins in line 2 of the CSV file has no closing quote.",
    );
  });

  it("prints, after a failure, the value of --start that continues after the last ID it read, and starts at the given value", async () => {
    const ids = [1, 2, 3, 4, 5, 6].map((n) => `900000${n}`);
    const failed = await rpd([...reading, ...ids, "--csv"], catalog);
    expect(failed).toMatchObject({ code: 1 });
    expect(failed.warnings).toMatch(
      /^To continue after the last ID that was read, repeat the command with --start 4\.\nrpd: INSUFFICIENT_CREDITS/,
    );
    expect(failed.output.split("\n")).toHaveLength(6);
    const file = fileWith("9000001\n9000002\n9000003\n");
    const rest = await rpd([...reading, "--from", file, "--start", "2", "--csv"], catalog);
    expect(rest.output).toContain("9000003,ok");
    expect(rest.output).not.toContain("9000002");
  });
});

describe("the command 'rpd watchlists'", () => {
  it("creates a watchlist from the IDs and labels of a CSV file", async () => {
    const file = fileWith("id,label\n9000001,Kettle\n9000002,\n");
    const limit = ["--max-credits-per-run", "50"];
    const args = ["--name", "Coffee", "--platform", "retailer_d", "--every", "6h", "--key", "k1"];
    args.push(...limit);
    const { output, calls } = await rpd(["watchlists", "create", "--from", file, ...args], () => ({
      status: 201,
      body: { id: "wl_1", name: "Coffee", item_count: 2 },
    }));
    expect(output).toContain("wl_1");
    expect(calls).toMatchObject([
      {
        url: "/v1/watchlists",
        headers: { "idempotency-key": "k1" },
        body: {
          ids: [{ id: "9000001", label: "Kettle" }, { id: "9000002" }],
          every: "6h",
          max_credits_per_run: 50,
        },
      },
    ]);
  });
});

describe("the command 'rpd changes'", () => {
  it("lists the changes of a watchlist that match the filters", async () => {
    const { output, calls } = await rpd(
      ["changes", "--watchlist", "wl_1", "--kind", "price_drop", "--csv"],
      () => ({ body: { data: [{ item_id: "9000001", field: "price" }], has_more: false } }),
    );
    expect(output).toContain(",9000001,,price,");
    expect(calls.map(({ url }) => url)).toEqual([
      "/v1/watchlists/wl_1/changes?kind=price_drop&limit=1000",
    ]);
  });
});

/** Starts a local server that answers deliveries with the status that `answer` returns. */
async function startReceiver(answer: (id: string) => number) {
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    const { id } = verifyWebhook(await text(request), request.headers, "whsec_local") as {
      id: string;
    };
    const status = answer(id);
    if (status === 204) received.push(id);
    const headers = { connection: "close", ...(status === 302 && { location: "/" }) };
    response.writeHead(status, headers).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const stop = () => new Promise((resolve) => void server.close(resolve));
  onTestFinished(() => void server.close());
  const { port: used } = server.address() as AddressInfo;
  return { received, stop, url: `http://127.0.0.1:${used}` };
}

/** Returns a feed with the events `evt_1` to `evt_<count>`. */
const feedOf =
  (count: number): Parameters<typeof startScriptedService>[0] =>
  ({ url }) => {
    const after = new URL(url, "http://service").searchParams.get("after") ?? "";
    const [, last = "0"] = /^evt_(\d+)$/.exec(after) ?? [];
    const data = Array.from({ length: count }, (_, n) => n + 1)
      .filter((n) => n > Number(last))
      .slice(0, 2)
      .map((n) => ({ id: `evt_${n}`, type: "watchlist.run.completed", data: {} }));
    const hasMore = Number(last) + data.length < count;
    return { body: { data, has_more: hasMore, next_after: data.at(-1)?.id ?? after } };
  };

/** Simulates Ctrl-C during a delivery, and responds to the delivery with 204. */
const interrupt = (): 204 => {
  process.emit("SIGINT");
  return 204;
};

describe("the command rpd, while it follows the event feed,", () => {
  it("continues after the last event when the service responds again after a failure", async () => {
    let calls = 0;
    const page = feedOf(3);
    const service = await startScriptedService((call, n) => {
      calls += 1;
      return calls === 2 ? failure(503, "UNAVAILABLE") : page(call, n);
    });
    onTestFinished(() => service[Symbol.asyncDispose]());
    const stop = new AbortController();
    const warnings: string[] = [];
    const output = { write: () => {}, warn: (one: string) => void warnings.push(one) };
    const client = new Client({ baseUrl: service.baseUrl, attempts: 1 });
    const found: string[] = [];
    const options = { output, signal: stop.signal, pauseMs: 1 };
    for await (const { id } of feed(client, { after: "evt_0" }, options)) {
      found.push(id);
      if (id === "evt_3") stop.abort();
    }
    expect(found).toEqual(["evt_1", "evt_2", "evt_3"]);
    expect(warnings.join("")).toContain("Trying again.");
  });
});

describe("the command 'rpd listen'", () => {
  const listening = (url: string) => ["listen", "--forward", url, "--secret", "whsec_local"];

  it("sends each event to a local server, with a signature that the client can verify", async () => {
    const receiver = await startReceiver((id) => (id === "evt_3" ? interrupt() : 204));
    const { code, output, warnings } = await rpd(
      [...listening(receiver.url), "--after", "evt_0"],
      feedOf(3),
    );
    expect(code).toBe(0);
    expect(receiver.received).toEqual(["evt_1", "evt_2", "evt_3"]);
    expect(output).toMatch(/204 {2}watchlist\.run\.completed {2}evt_1\n/);
    expect(warnings).toContain("signed with whsec_local");
  });

  it("sends an event again after the local server refused it", async () => {
    const answers = [500, 204];
    const receiver = await startReceiver((id) =>
      id === "evt_1" ? (answers.shift() ?? 204) : interrupt(),
    );
    const { warnings } = await rpd([...listening(receiver.url), "--after", "evt_0"], feedOf(2));
    expect(receiver.received).toEqual(["evt_1", "evt_2"]);
    expect(warnings).toContain("evt_1: it returned HTTP status 500; attempt 1 of 5\n");
  });

  it("refuses an address that is not an HTTP URL, and an empty secret", async () => {
    const noUrl = await offline(["listen", "--forward", "localhost:3000"]);
    expect(noUrl).toMatchObject({ code: 2 });
    expect(noUrl.warnings).toContain(
      '--forward must be an http or https URL (got "localhost:3000")',
    );
    const args = ["listen", "--forward", "http://127.0.0.1:1", "--secret", ""];
    expect(await offline(args)).toMatchObject({
      code: 2,
      warnings: "rpd: --secret must not be empty. Leave it out to use a new secret.\n",
    });
  });

  it("does not follow a redirect of the local server", async () => {
    const receiver = await startReceiver(() => 302);
    const args = [...listening(receiver.url), "--after", "evt_0", "--attempts", "1"];
    const { code, warnings } = await rpd(args, feedOf(1));
    expect(code).toBe(1);
    expect(warnings).toContain("did not accept the event evt_1: it returned HTTP status 302");
  });

  it("ends with an error if no local server listens, and prints where to continue", async () => {
    const receiver = await startReceiver(() => 204);
    await receiver.stop();
    const args = [...listening(receiver.url), "--after", "evt_0", "--attempts", "1"];
    const { code, warnings } = await rpd(args, feedOf(2));
    expect(code).toBe(1);
    expect(warnings).toContain("Continue with --after evt_0\n");
    expect(warnings).toContain("did not accept the event evt_1: no server listens at this address");
  });

  it("continues after the last accepted event when it is started again, and loses no event", async () => {
    const cursor = join(dirname(fileWith("")), "cursor");
    const options = ["--cursor", cursor, "--attempts", "1"];
    const first = await startReceiver((id) => (id === "evt_3" ? 500 : 204));
    const failed = await rpd([...listening(first.url), ...options, "--after", "evt_0"], feedOf(3));
    expect(failed).toMatchObject({ code: 1 });
    expect(failed.warnings).toContain(
      "did not accept the event evt_3: it returned HTTP status 500",
    );
    expect(first.received).toEqual(["evt_1", "evt_2"]);
    await first.stop();

    const second = await startReceiver((id) => (id === "evt_5" ? interrupt() : 204));
    const { code } = await rpd([...listening(second.url), ...options], feedOf(5));
    expect(code).toBe(0);
    expect(second.received).toEqual(["evt_3", "evt_4", "evt_5"]);
  });

  it("requests the events since its first start if it is started again before it has received an event", async () => {
    const cursor = join(dirname(fileWith("")), "cursor");
    const before = new Date().toISOString();
    const started = await rpd([...listening("http://127.0.0.1:1"), "--cursor", cursor], () => {
      interrupt();
      return { body: { data: [], has_more: false, next_after: null } };
    });
    expect(started.code).toBe(0);
    const stored = readFileSync(cursor, "utf8").trim();
    expect(stored >= before).toBe(true);
    const again = await rpd([...listening("http://127.0.0.1:1"), "--cursor", cursor], () => {
      interrupt();
      return { body: { data: [], has_more: false, next_after: null } };
    });
    expect(again.calls.map(({ url }) => url)).toEqual([
      `/v1/events?after=${encodeURIComponent(stored)}`,
    ]);
  });
});

describe("the command rpd", () => {
  it("lists its commands, and prints the options and examples of each command with --help", async () => {
    const { output } = await offline(["--help"]);
    for (const name of [
      "products",
      "watchlists create",
      "events tail",
      "listen",
      "export download",
    ]) {
      expect(output).toContain(`rpd ${name} `);
      const help = await offline([...name.split(" "), "--help"]);
      expect(help.output).toContain(`Usage: rpd ${name}`);
      expect(help.output).toMatch(/Examples:\n {2}rpd /);
    }
  });

  it("suggests the nearest option or command for a misspelled one, and exits with code 2", async () => {
    expect(await offline(["changes", "--knid", "sold_out"])).toMatchObject({
      code: 2,
      warnings: "rpd: There is no option '--knid'. Did you mean '--kind'?\n",
    });
    expect((await offline(["events", "tial"])).warnings).toContain("Did you mean 'events tail'?");
    expect((await offline(["export"])).warnings).toContain("Did you mean 'export download'?");
    expect((await offline(["changes", "--json", "--csv"])).code).toBe(2);
    expect((await offline(["changes", "wl_1"])).warnings).toContain("takes no argument");
  });

  it("refuses an option that is set twice", async () => {
    expect(await offline(["changes", "--kind", "sold_out", "--kind", "delisted"])).toMatchObject({
      code: 2,
      warnings: "rpd: --kind is set more than once. Set it once.\n",
    });
  });

  it("names the variable and the option if the address of the service is missing", async () => {
    vi.stubEnv("RPD_BASE_URL", "");
    onTestFinished(() => void vi.unstubAllEnvs());
    const warn = vi.fn<(text: string) => void>();
    expect(await run(["watchlists"], { write: () => undefined, warn })).toBe(2);
    expect(warn).toHaveBeenCalledWith(
      "rpd: The address of the service is missing. Set RPD_BASE_URL or --base-url.\n",
    );
  });

  it("prints no position at which to continue if it has received no event yet", async () => {
    const refused = () => failure(400, "INVALID_PARAM");
    const { code, warnings } = await rpd(["events", "tail", "--after", "nonsense"], refused);
    expect(code).toBe(1);
    expect(warnings).not.toContain("Continue with");
  });

  it("prints its version without an API key, and reports a missing API key for a command", async () => {
    expect((await offline(["--version"])).output).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await offline(["help"])).output).toContain("Commands:");
    vi.stubEnv("RPD_API_KEY", "");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { warnings } = await rpd(["watchlists"], () => failure(401, "UNAUTHORIZED"));
    expect(warnings).toBe("rpd: The service requires a key. Set RPD_API_KEY to your key.\n");
  });

  it("exits with code 130 if the user presses Ctrl-C during a call", async () => {
    const stopped = await rpd(["watchlists"], async () => {
      interrupt();
      return new Promise(() => {});
    });
    expect(stopped).toMatchObject({ code: 130, output: "" });
  });

  it("stops reading products while the consumer of its output is slow", async () => {
    const service = await startScriptedService(catalog);
    onTestFinished(() => service[Symbol.asyncDispose]());
    const ids = Array.from({ length: 40 }, (_, n) => `91000${n}`);
    let written = 0;
    const full = Promise.withResolvers<void>();
    const finished = run(
      ["products", ...ids, "--platform", "retailer_d", "--csv", "--base-url", service.baseUrl],
      {
        write: () => ((written += 1) < 3 ? undefined : full.promise),
        warn: () => {},
      },
    );
    const reads = () => service.calls.filter(({ url }) => url === "/v1/products").length;
    await expect.poll(() => written).toBe(3);
    await expect.poll(reads).toBeGreaterThan(1);
    // Of the 20 calls, the client has made the one whose rows it writes, and few calls ahead of it.
    expect(reads()).toBeLessThanOrEqual(4);
    full.resolve();
    expect(await finished).toBe(0);
    expect(reads()).toBe(20);
  });

  it("prints the code, message and request ID of an error, and exits with code 1", async () => {
    vi.stubEnv("RPD_API_KEY", "svc_live_1");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { code, warnings } = await rpd(["watchlists"], () => failure(401, "UNAUTHORIZED"));
    expect(code).toBe(1);
    expect(warnings).toBe(
      "rpd: UNAUTHORIZED (name): The call failed with UNAUTHORIZED. Request: req_1.\n",
    );
  });
});
