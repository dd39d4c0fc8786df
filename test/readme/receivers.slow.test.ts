import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventsDigest } from "../../shared/events/event-digest.ts";
import { type SerializedEvent, serializeEvent } from "../../shared/events/event.ts";
import { newSecret } from "../../shared/webhooks/secret.ts";
import { signatureHeader, standardHeaders } from "../../shared/webhooks/signature.ts";
import { countingRandom } from "../support/clock.ts";
import { codeBlocks } from "./code-blocks.ts";
import { type ReceiverProcess, startReceiverProcess } from "./receiver-process.ts";

const page = "docs/webhooks.md";
const random = countingRandom();
const secret = newSecret(random);
const previous = newSecret(random);
const stranger = newSecret(random);

const at = "2026-11-20T10:00:00.000Z";
const changed = (part: number, ids: readonly string[]): SerializedEvent =>
  serializeEvent(
    {
      id: `evt_changed${part}`,
      type: "watchlist.product.changed",
      created_at: at,
      data: {
        watchlist_name: "caf\u00e9 \u2603",
        run_id: "wlrun_1",
        part,
        parts: 2,
        changes: ids.map((id) => ({ id, changes: { price: { before: 2, after: 1 } } })),
      },
    },
    ids.length,
  );
const ofProducts = (kind: "matched" | "delisted", id: string): SerializedEvent =>
  serializeEvent(
    {
      id: `evt_${kind}`,
      type: `watchlist.product.${kind}`,
      created_at: at,
      data: { run_id: "wlrun_1", part: 1, parts: 1, products: [{ id, step: "scan" }] },
    },
    1,
  );
const itemEvents = [
  changed(1, ["9000001", "9000003"]),
  changed(2, ["9000005"]),
  ofProducts("matched", "9000006"),
  ofProducts("delisted", "9000007"),
];
const completed = (digest = eventsDigest([...itemEvents.map(({ id }) => id), "evt_completed"])) =>
  serializeEvent(
    {
      id: "evt_completed",
      type: "watchlist.run.completed",
      created_at: at,
      data: { id: "wlrun_1", object: "watchlist_run", events_digest: digest },
    },
    0,
  );
const run = [...itemEvents, completed()];
const test = serializeEvent(
  { id: "evt_test", type: "webhook.test", created_at: at, data: { webhook_endpoint_id: "we_1" } },
  0,
);

interface Sending {
  readonly secrets?: readonly string[];
  /** Seconds between the signature's time and now. */
  readonly age?: number;
  readonly body?: string;
  readonly signature?: string | null;
}

interface Language {
  readonly fence: string;
  readonly file: string;
  readonly command: string;
}

describe("the receiver of docs/webhooks.md in TypeScript", () => {
  const typescript = { fence: "ts", file: "receiver.mts", command: process.execPath };
  testReceiver(typescript);

  it("compiles under strict TypeScript rules", () => {
    const folder = mkdtempSync(join(tmpdir(), "receiver-"));
    try {
      linkModules(folder);
      for (const [n, code] of codeBlocks(page, "ts").entries()) {
        writeFileSync(join(folder, `code-${n}.ts`), code);
      }
      const compilerOptions = {
        module: "NodeNext",
        target: "ES2024",
        strict: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: true,
        noEmit: true,
        types: ["node"],
      };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
      writeFileSync(join(folder, "package.json"), '{"type": "module"}');

      const { stdout } = spawnSync(join("node_modules", ".bin", "tsc"), ["-p", folder]);

      expect(stdout.toString()).toBe("");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;
describe.skipIf(!hasPython)("the receiver of docs/webhooks.md in Python", () => {
  testReceiver({ fence: "python", file: "receiver.py", command: "python3" });
});

function testReceiver({ fence, file, command }: Language): void {
  const started: ReceiverProcess[] = [];
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "receiver-"));
    const code = codeBlocks(page, fence).find((one) => one.includes("INBOX")) ?? "";
    writeFileSync(join(folder, file), code);
  });
  afterEach(async () => {
    for (const receiver of started.splice(0)) await receiver.stop();
    rmSync(folder, { recursive: true });
  });

  const start = async (secrets: readonly string[] = [secret]): Promise<ReceiverProcess> => {
    const receiver = await startReceiverProcess({ command, args: [file], folder, secrets });
    started.push(receiver);
    return receiver;
  };
  /** Sends a delivery and returns the response's status. */
  const send = (to: ReceiverProcess, event: SerializedEvent, sending: Sending = {}) => {
    const { secrets = [secret], age = 0, body = event.body } = sending;
    const signing = { body: Buffer.from(event.body), secrets };
    const header = signatureHeader({ ...signing, at: new Date(Date.now() - age * 1_000) });
    const signature = sending.signature === undefined ? header : sending.signature;
    return post(to.url, body, signature === null ? {} : { "Service-Signature": signature });
  };

  /** Events that the receiver has not marked as handled. */
  const leftInInbox = (): unknown => {
    const inbox = new DatabaseSync(join(folder, "inbox.db"), { readOnly: true });
    try {
      return inbox.prepare("SELECT count(*) AS n FROM inbox WHERE NOT done").get()?.["n"];
    } finally {
      inbox.close();
    }
  };

  it("handles every event of a run once, and reports that no event is missing", async () => {
    const receiver = await start();

    for (const event of run) expect(await send(receiver, event)).toBe(204);

    await receiver.printed("watchlist.run.completed wlrun_1");
    await receiver.printed("wlrun_1 is complete\n");
    const text = receiver.lines().join("\n");
    for (const id of ["9000001", "9000003", "9000005", "9000006", "9000007"]) {
      expect(text.split(id)).toHaveLength(2);
    }
    expect(text).toContain("watchlist.run.completed wlrun_1");
    expect(text).not.toContain("lacks events");
  });

  it("handles a repeated event once, even after a restart", async () => {
    const first = await start();
    expect(await send(first, test)).toBe(204);
    expect(await send(first, test)).toBe(204);
    await first.printed("webhook.test");
    await expect.poll(leftInInbox).toBe(0);
    await first.stop("SIGKILL");

    const second = await start();
    expect(await send(second, test)).toBe(204);
    expect(await send(second, ofProducts("delisted", "9000007"))).toBe(204);

    await second.printed("9000007");
    expect(second.lines()).toHaveLength(1);
    expect(first.lines()).toEqual([expect.stringContaining("webhook.test")]);
  });

  it("processes, when it starts, the events that a crash left in its inbox", async () => {
    const first = await start();
    await send(first, test);
    await first.printed("webhook.test");
    await first.stop("SIGKILL");
    const inbox = new DatabaseSync(join(folder, "inbox.db"));
    inbox.exec("UPDATE inbox SET done = 0");
    inbox.close();

    const second = await start();

    await second.printed("webhook.test");
  });

  it("treats a run as complete only after all missing events have arrived", async () => {
    const receiver = await start();
    const [late, ...others] = run;
    for (const event of others) await send(receiver, event);
    await receiver.printed("wlrun_1 lacks events\n");

    expect(await send(receiver, late!)).toBe(204);

    await receiver.printed("wlrun_1 is complete\n");
  });

  it("reports a digest that does not match the events", async () => {
    const receiver = await start();

    for (const event of [...itemEvents, completed(eventsDigest(["evt_1"]))]) {
      await send(receiver, event);
    }

    await receiver.printed("wlrun_1 lacks events\n");
    expect(receiver.lines()).not.toContain("wlrun_1 is complete");
  });

  it("accepts either of two secrets during their overlap", async () => {
    const both = [secret, previous];
    const withNew = await start([secret]);
    expect(await send(withNew, test, { secrets: both })).toBe(204);
    await withNew.stop();
    const withOld = await start([previous]);
    expect(await send(withOld, test, { secrets: both })).toBe(204);
    await withOld.stop();
    const withBoth = await start([stranger, previous]);
    expect(await send(withBoth, test, { secrets: [previous] })).toBe(204);
    expect(await send(withBoth, test, { secrets: [secret] })).toBe(400);
  });

  it("accepts only signatures with a time of at most 300 s in the past or future", async () => {
    const receiver = await start();

    expect(await send(receiver, test, { age: 298 })).toBe(204);
    expect(await send(receiver, test, { age: -298 })).toBe(204);
    expect(await send(receiver, test, { age: 301 })).toBe(400);
    expect(await send(receiver, test, { age: -302 })).toBe(400);
  });

  it("refuses a request if any byte changed after signing", async () => {
    const receiver = await start();
    const good = signatureHeader({
      body: Buffer.from(test.body),
      secrets: [secret],
      at: new Date(),
    });
    const refused: Sending[] = [
      { body: test.body.replace("we_1", "we_2") },
      { body: "" },
      { secrets: [stranger] },
      { secrets: [] },
      { signature: null },
      { signature: "" },
      { signature: "garbage" },
      { signature: "t=,v1=" },
      { signature: `t=${"9".repeat(400)},v1=00` },
      { signature: good.replace(/v1=.{8}/, "v1=") },
      { signature: good.replace("v1=", "v0=") },
      { signature: good.replace(/t=\d+/, `t=${Math.floor(Date.now() / 1_000) - 5}`) },
    ];

    for (const sending of refused) {
      expect(await send(receiver, test, sending), JSON.stringify(sending)).toBe(400);
    }
    expect(await send(receiver, test)).toBe(204);
    await receiver.printed("webhook.test");
    expect(receiver.lines()).toHaveLength(1);
  });

  it("refuses every request if no secret is configured", async () => {
    const receiver = await start([]);

    expect(await send(receiver, test, { secrets: [""] })).toBe(400);
  });

  it("refuses a body of more than 10 MB, and accepts the next delivery", async () => {
    const receiver = await start();
    const body = "x".repeat(10_000_001);

    expect([413, "reset"]).toContain(await send(receiver, test, { body }));
    expect(await send(receiver, test)).toBe(204);
  });
}

describe("the code for a verification library in docs/webhooks.md:", () => {
  type Verify = (body: Buffer, headers: Record<string, string>, secret: string) => unknown;
  let folder: string;
  let verifiers: { readonly asStripe: Verify; readonly asStandardWebhooks: Verify };
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "verify-"));
    linkModules(folder);
    const file = join(folder, "verify.mts");
    writeFileSync(file, codeBlocks(page, "ts")[0] ?? "");
    verifiers = await import(/* @vite-ignore */ pathToFileURL(file).href);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(["asStripe", "asStandardWebhooks"] as const)(
    "the function %s accepts a delivery of the service, and refuses a delivery with another secret or a changed body",
    (name) => {
      const body = Buffer.from(test.body);
      const signing = { body, secrets: [secret, previous], at: new Date() };
      const signature = { "service-signature": signatureHeader(signing) };
      const headers = { ...signature, ...standardHeaders(test.id, signing) };
      const verify = verifiers[name];

      expect(verify(body, headers, secret)).toMatchObject({ id: test.id });
      expect(verify(body, headers, previous)).toMatchObject({ id: test.id });
      expect(() => verify(body, headers, stranger)).toThrow(/signature/);
      expect(() => verify(Buffer.from(`${test.body} `), headers, secret)).toThrow(/signature/);
    },
  );
});

const linkModules = (folder: string): void =>
  symlinkSync(
    new URL("../../node_modules", import.meta.url).pathname,
    join(folder, "node_modules"),
  );

/** Resolves to the status of the response, or to "reset" if there is no response. */
const post = (
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<number | "reset"> =>
  new Promise((resolve) => {
    const bytes = Buffer.from(body);
    const all = { ...headers, "Content-Type": "application/json", "Content-Length": bytes.length };
    const outgoing = request(url, { method: "POST", headers: all, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    outgoing.on("error", () => resolve("reset"));
    outgoing.end(bytes);
  });
