import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import {
  ChangeMessageVisibilityCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { DeleteCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { confirm } from "../../../scripts/admin/confirm.ts";
import { textOf } from "../../../scripts/admin/print.ts";
import { documentClient } from "../../../shared/aws/table/dynamo.ts";
import { accountKeys } from "../../../shared/aws/table/table.ts";
import { pointClientsAt } from "../../../tools/local/aws-environment.ts";
import { apiClient } from "../../../tools/customer/api-client.ts";
import { putOldAccount } from "../../tools/reconcile/an-old-account.ts";
import { runAdminHere } from "../run-admin.ts";
import { type Ended, runScript } from "../../support/run-script.ts";
import { eventually, type RunningWorld, startRunningWorld } from "../../support/running-world.ts";

const script = "scripts/admin.ts";
let world: RunningWorld;
let folder: string;
let aws: AwsDouble;

beforeAll(async () => {
  world = await startRunningWorld();
  folder = mkdtempSync(join(tmpdir(), "admin-"));
  writeFileSync(join(folder, "ready.json"), JSON.stringify(world.ready));
  aws = await startAwsDouble();
  pointClientsAt({
    dynamodb: world.ready["dynamodb_endpoint"] ?? "",
    sqs: world.ready["sqs_endpoint"] ?? "",
  });
});
afterAll(async () => {
  await world.dispose();
  aws.server.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  aws.asked.splice(0);
});

/** Runs the tool to its end. The tool has a terminal only if `isTTY` is true. */
function run(
  words: readonly string[],
  variables: Record<string, string>,
  isTTY = false,
): Promise<Ended> {
  Object.assign(process.env, variables);
  return runAdminHere(words, isTTY);
}

const admin = (...words: string[]): Promise<Ended> => run(words, { LOCAL_DIR: folder });
/** Runs the tool in a terminal and returns its output. */
const atTerminal = (...words: string[]): Promise<Ended> => run(words, { LOCAL_DIR: folder }, true);

type Answer = Readonly<Record<string, unknown>> & { readonly data: Record<string, unknown>[] };

/** Runs a command and returns its JSON output. Throws if the command fails. */
async function result(...words: string[]): Promise<Answer> {
  const { code, out, err } = await admin(...words);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out) as Answer;
}

const openAccount = async (): Promise<string> => {
  const opened = await result("create-account", "--name", "Acme", "--email", "a@acme.example");
  return String(opened["id"]);
};

const queueUrl = (name: string): string =>
  `${world.ready["sqs_endpoint"]}/000000000000/RetailProductData-dev-service-${name}`;

describe("the admin command, for an account,", () => {
  it("creates the account and keys that the API accepts until they are revoked, and shows the account", async () => {
    const account = await openAccount();
    const made = await result("create-key", "--account", account, "--name", "server");
    const api = apiClient(world.ready["base_url"] ?? "", String(made["key"]));
    expect((await api.get("/account")).status).toBe(200);

    const { data } = await result("keys", "--account", account);
    expect(data).toMatchObject([{ id: made["id"], name: "server", object: "api_key" }]);
    expect(await result("accounts", "show", "--account", account)).toMatchObject({
      id: account,
      credit_balance: 5_000,
      credits_held: 0,
      open_holds: [],
      api_keys: [{ id: made["id"] }],
      watchlists: [],
      webhook_endpoints: [],
    });
    const listed = await result("accounts");
    expect(listed.data[0]).toMatchObject({ id: account, name: "Acme", credit_balance: 5_000 });

    await result("revoke-key", "--account", account, "--key", String(made["id"]));
    expect((await api.get("/account")).status).toBe(401);
    expect(await admin("revoke-key", "--account", account, "--key", String(made["id"]))).toEqual({
      code: 1,
      out: "",
      err: `Account ${account} has no key ${String(made["id"])}. List its keys with npm run admin -- keys.\n`,
    });
  });

  it("changes credits exactly once for a repeated --id, and lists the ledger newest first", async () => {
    const account = await openAccount();
    const change = ["--account", account, "--id", "invoice-7"];
    for (let n = 0; n < 2; n += 1) {
      expect(await result("purchase", ...change, "--pack", "starter")).toMatchObject({
        credit_balance: 30_000,
        lifetime_credits: 30_000,
      });
    }
    await result("grant", "--account", account, "--id", "sorry", "--credits", "50");
    await result("adjust", "--account", account, "--id", "typo", "--credits=-20");

    const ledger = await result("credits", "--account", account, "--limit", "2");
    expect(ledger).toMatchObject({ object: "list", has_more: true });
    expect(ledger.data).toMatchObject([
      { type: "adjust", credits: -20, balance_after: 30_030 },
      { type: "grant", credits: 50, balance_after: 30_050 },
    ]);
    expect((await atTerminal("credits", "--account", account, "--limit", "2")).out).toContain(
      "… more entries exist: increase --limit",
    );
    const topUp = ["--account", account, "--threshold", "500", "--pack", "builder"];
    await result("set-auto-topup", ...topUp);
    expect(await result("accounts", "show", "--account", account)).toMatchObject({
      auto_topup: { enabled: true, threshold_credits: 500, pack_id: "builder" },
    });
  });

  it("sets how many concurrent requests a webhook endpoint receives, and refuses a number above the limit", async () => {
    const account = await openAccount();
    const { key } = await result("create-key", "--account", account, "--name", "hooks");
    const api = apiClient(world.ready["base_url"] ?? "", String(key));
    const { body } = await api.send("POST", "/webhook_endpoints", {
      url: "http://127.0.0.1:9999/",
    });
    const id = String(body["id"]);
    const to = ["--account", account, "--endpoint", id, "--requests"];

    expect(await result("set-endpoint-requests", ...to, "100")).toMatchObject({
      id,
      requests_at_once: 100,
    });
    expect(await result("accounts", "show", "--account", account)).toMatchObject({
      webhook_endpoints: [{ id, requests_at_once: 100 }],
    });
    expect(await admin("set-endpoint-requests", ...to, "129")).toMatchObject({
      code: 1,
      err: `--requests must be an integer from 1 to 128 (got "129").\n`,
    });
  });

  it("refuses an unknown type of credit transaction, and suggests the nearest type", async () => {
    const account = await openAccount();
    expect(await admin("credits", "--account", account, "--type", "purchse")).toEqual({
      code: 1,
      out: "",
      err:
        "--type must be one of grant, purchase, reserve, charge, refund, adjust " +
        `(got "purchse"). Did you mean 'purchase'?\n`,
    });
  });

  it("fills a demo account with watchlists exactly once, runs the watchlists, and revokes the temporary API key", async () => {
    const opened = ["--name", "Demo", "--email", "demo@acme.example", "--demo"];
    const account = String((await result("create-account", ...opened))["id"]);
    const { data: lists } = await result("fill-demo", "--account", account);
    expect(lists.length).toBeGreaterThanOrEqual(3);
    expect(lists.every(({ created }) => created)).toBe(true);
    const again = await result("fill-demo", "--account", account);
    expect(again.data).toEqual(lists.map((list) => ({ ...list, created: false })));

    const { data: shown } = await result("watchlists", "--account", account);
    expect(new Set(shown.map(({ id }) => id))).toEqual(new Set(lists.map(({ id }) => id)));
    expect(shown).toHaveLength(lists.length);
    expect(shown.every(({ run_count: runs }) => Number(runs) === 2)).toBe(true);
    expect((await result("keys", "--account", account)).data).toEqual([]);
  });

  it("refuses to fill a customer's account with demo watchlists", async () => {
    const account = await openAccount();
    expect(await admin("fill-demo", "--account", account)).toEqual({
      code: 1,
      out: "",
      err: `${account} is not a demo account. Only a demo account can be filled, because the new watchlists spend credits of the account. Use a demo account.\n`,
    });
  });
});

describe("the admin command, for a run,", () => {
  it("lists the runs of a watchlist, and shows the steps of a run and what the run waits for", async () => {
    const created = await world.api.send("POST", "/watchlists", {
      name: "Admin",
      platform: "retailer_d",
      ids: ["9000001", "9000002"],
      every: "1h",
    });
    const watchlist = String(created.body["id"]);
    const done = await eventually("the run", 20, async () => {
      const { data } = await result("runs", "--watchlist", watchlist);
      return data[0]?.["phase"] === "done" ? data : undefined;
    });
    expect(done).toMatchObject([{ run_number: 1, status: "completed", tracked: 2 }]);
    expect(await result("runs", "show", "--watchlist", watchlist, "--run", "1")).toMatchObject({
      waits_for: "nothing",
      phase: "done",
      steps: [{ step: "check", decision: "read", items: 2, batches: 1, batches_done: 1 }],
      run_number: 1,
    });
    const { err } = await admin("runs", "show", "--watchlist", watchlist, "--run", "2");
    expect(err).toBe(
      `Watchlist ${watchlist} has no run 2. List its runs with: ` +
        `npm run admin -- runs --watchlist ${watchlist}\n`,
    );
    expect((await atTerminal("runs", "--watchlist", watchlist)).out).not.toContain("more");
  });

  it("reports that a watchlist has more runs than the number in --limit", async () => {
    const created = await world.api.send("POST", "/watchlists", {
      name: "Twice",
      platform: "retailer_d",
      ids: ["9000001"],
      every: "1h",
    });
    const watchlist = String(created.body["id"]);
    await eventually("a second run", 20, async () => {
      await world.api.send("POST", `/watchlists/${watchlist}/run`);
      return (await result("runs", "--watchlist", watchlist)).data.length > 1 ? true : undefined;
    });
    const limited = ["runs", "--watchlist", watchlist, "--limit", "1"];

    expect(await result(...limited)).toMatchObject({ has_more: true });
    const { out } = await atTerminal(...limited);
    expect(out.trimEnd().split("\n").slice(2)).toEqual(["… more entries exist: increase --limit"]);
  });
});

describe("the admin command, for dead letters,", () => {
  it("counts and shows dead letters without removing them from their queue, and moves them back to their original queue", async () => {
    const sqs = new SQSClient({});
    const { data } = await result("dead-letters");
    expect(data.map(({ queue }) => queue)).toEqual(["runs", "steps", "finishes", "deliveries"]);
    const QueueUrl = queueUrl("DeliveriesDeadLetterQueue");
    const body = JSON.stringify({ account_id: "acct_gone", target_id: "we_gone" });
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body }));

    for (let n = 0; n < 2; n += 1) {
      const shown = await result("dead-letters", "show", "--queue", "deliveries");
      expect(shown.data).toMatchObject([{ body: { account_id: "acct_gone" } }]);
    }
    const counted = await result("dead-letters");
    expect(counted.data.map((row) => row["dead_letters"])).toEqual([0, 0, 0, 1]);
    expect(await result("dead-letters", "replay", "--queue", "deliveries")).toEqual({
      queue: "deliveries",
      moved: 1,
      state: "completed",
    });
    const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
    expect(Messages ?? []).toEqual([]);
    sqs.destroy();
  });

  /**
   * Puts messages into the dead-letter queue of the runs queue. The queue then contains only these
   * messages.
   */
  async function bury(count: number): Promise<{ QueueUrl: string; sqs: SQSClient }> {
    const [sqs, QueueUrl] = [new SQSClient({}), queueUrl("RunsDeadLetterQueue")];
    await sqs.send(new PurgeQueueCommand({ QueueUrl }));
    for (let n = 0; n < count; n += 1) {
      const MessageBody = JSON.stringify({ type: "purge", watchlist_id: `wl_gone_${n}` });
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    }
    return { QueueUrl, sqs };
  }
  const runsRow = async () => (await result("dead-letters")).data[0];

  it("counts messages in flight as messages of a dead-letter queue", async () => {
    const { QueueUrl, sqs } = await bury(12);
    const { Messages: held = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 2, VisibilityTimeout: 60 }),
    );
    expect(held).toHaveLength(2);

    expect(await runsRow()).toMatchObject({ dead_letters: 12, dead_letters_in_flight: 2 });
    const shown = await admin("dead-letters", "show", "--queue", "runs", "--limit", "9");
    expect(shown.err).toBe(
      "Another process has received 2 messages and not deleted them yet. Try again in a minute.\n",
    );
    expect(JSON.parse(shown.out)).toMatchObject({ has_more: true });
    const replayed = await admin("dead-letters", "replay", "--queue", "runs");
    expect(replayed).toMatchObject({ code: 1, err: shown.err });
    expect(JSON.parse(replayed.out)).toEqual({
      queue: "runs",
      moved: 10,
      state: "incomplete",
      in_flight: 2,
    });

    for (const { ReceiptHandle } of held) {
      await sqs.send(
        new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
      );
    }
    expect(await result("dead-letters", "replay", "--queue", "runs")).toMatchObject({
      moved: 2,
      state: "completed",
    });
    sqs.destroy();
  });

  it("does not report further messages after it has shown all messages of a dead-letter queue", async () => {
    const { sqs } = await bury(3);
    const show = (limit: string) =>
      result("dead-letters", "show", "--queue", "runs", "--limit", limit);

    expect(await show("3")).toMatchObject({ has_more: false });
    expect(await show("2")).toMatchObject({ has_more: true });
    expect((await show("2")).data).toHaveLength(2);
    sqs.destroy();
  });

  it("makes the shown messages visible in their queue again if a signal stops the command", async () => {
    const { sqs } = await bury(3);
    let receives = 0;
    const forwarder = await startSqsForwarder((target) => {
      receives += target === "AmazonSQS.ReceiveMessage" ? 1 : 0;
      // The first receive took the messages out of the queue, and the command waits for more.
      if (receives === 2) process.emit("SIGINT");
    });
    const other = mkdtempSync(join(tmpdir(), "admin-"));
    const ready = { ...world.ready, sqs_endpoint: forwarder.url };
    writeFileSync(join(other, "ready.json"), JSON.stringify(ready));

    const show = ["dead-letters", "show", "--queue", "runs", "--limit", "1000"];
    const { code, err } = await run(show, { LOCAL_DIR: other });
    forwarder.server.close();
    rmSync(other, { recursive: true });

    expect({ code, err }).toEqual({
      code: 1,
      err: "A signal stopped the command. The messages are in the queue again.\n",
    });
    expect(receives).toBe(2);
    expect(await runsRow()).toMatchObject({ dead_letters: 3, dead_letters_in_flight: 0 });
    await bury(0);
    sqs.destroy();
  });
});

describe("the admin command, for an account of an earlier release,", () => {
  it("moves the account to shards exactly once, and then shows the same sums and open holds", async () => {
    const accountId = `acct_${"7".repeat(24)}`;
    const [accounts = "", ledger = ""] = ["accounts_table", "ledger_table"].map(
      (name) => world.ready[name],
    );
    const old = { accountId, now: new Date() };
    await putOldAccount(documentClient(), { accounts, ledger }, old);
    const show = () => result("accounts", "show", "--account", accountId);
    const before = await show();
    expect(before).toMatchObject({
      credit_balance: 29_937,
      credits_held: 60,
      credits_spent: 3,
      in_flight: 1,
      open_holds: [
        { id: "req_old_open", credits: 40 },
        { id: "wlrun_old#check", credits: 20 },
      ],
    });

    const migrated = async (...options: readonly string[]) => {
      const { code, out } = await admin("migrate", ...options);
      expect(code).toBe(0);
      return out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown);
    };
    const line = { migration: "account-shards", failed: 0 };
    expect(await migrated("--dry-run")).toEqual([
      expect.objectContaining({ ...line, dry_run: true, pending: 1, migrated: 0 }),
    ]);
    expect(await show()).toEqual(before);
    const reconciled = expect.objectContaining({ differences: 0 }) as unknown;
    expect(await migrated()).toEqual([
      expect.objectContaining({ ...line, dry_run: false, pending: 1, migrated: 1 }),
      reconciled,
    ]);
    expect(await migrated()).toEqual([
      expect.objectContaining({ ...line, pending: 0 }),
      reconciled,
    ]);

    expect(await show()).toEqual(before);
    const listed = await result("accounts");
    expect(listed.data).toContainEqual(
      expect.objectContaining({ id: accountId, credit_balance: 29_937 }),
    );
    expect(await atTerminal("reconcile", "--account", accountId)).toMatchObject({ code: 0 });
    const atOnce = await atTerminal("migrate");
    expect(atOnce.out).toMatch(
      /^account-shards, .+: \d+ rows read, 0 pending, 0 migrated, 0 failed\nreconcile: .+\n$/,
    );
  });

  it("counts an account that cannot be moved to shards as failed, and moves all other accounts", async () => {
    const accountId = `acct_${"8".repeat(24)}`;
    const TableName = world.ready["accounts_table"];
    const damaged = { ...accountKeys.account(accountId), id: accountId, name: "Damaged" };
    await documentClient().send(new PutCommand({ TableName, Item: damaged }));
    const { code, out, err } = await admin("migrate");
    const Key = { ...accountKeys.account(accountId) };
    await documentClient().send(new DeleteCommand({ TableName, Key }));

    expect(code).toBe(1);
    // On a busy machine, reconcile also prints its progress.
    expect(err).toMatch(
      new RegExp(`^account#${accountId} / account: .+\\n(?:\\[\\d+\\] acct_\\w+\\n)*$`),
    );
    expect(JSON.parse(out.split("\n")[0] ?? "")).toMatchObject({ failed: 1, migrated: 0 });
  });
});

describe("the admin command audit", () => {
  it("lists the changes of an account, newest first, without personal data and keys", async () => {
    const account = await openAccount();
    await result("grant", "--account", account, "--id", "g", "--credits", "9");
    await admin("adjust", "--account", account, "--id", "a", "--credits=-999999");
    const { key = "" } = await result("create-key", "--account", account, "--name", "server");
    await result("keys", "--account", account);

    const { data } = await result("audit", "--account", account);
    expect(data).toMatchObject([
      { command: "create-key", result: "done", options: { account } },
      {
        command: "adjust",
        result: "failed",
        error: expect.stringContaining("removes more credits than the balance has"),
      },
      { command: "grant", result: "done", options: { account, id: "g", credits: "9" } },
      { command: "create-account", result: "done", options: {}, created: account },
    ]);
    const all = JSON.stringify(data);
    for (const hidden of [String(key), "a@acme.example", "server"]) {
      expect(all).not.toContain(hidden);
    }
    const one = await result("audit", "--account", account, "--limit", "1");
    expect(one).toMatchObject({ data: [{ command: "create-key" }], has_more: true });
  });
});

/** Matches an empty output, and an output that has only the progress lines of a slow command. */
const onlyProgress = expect.stringMatching(/^(?:\[\d+\] acct_\w+\n)*$/);

describe("the admin command reconcile", () => {
  it("exits with 0 if it finds no difference, or otherwise prints a line for each difference and exits with 2", async () => {
    const account = await openAccount();
    const fine = await atTerminal("reconcile");
    expect(fine).toMatchObject({ code: 0, err: onlyProgress });
    expect(fine.out).toMatch(/^reconcile: \d+ accounts, .*: no differences\n$/);

    const Key = { ...accountKeys.shard(account, 0) };
    const TableName = world.ready["accounts_table"];
    const move = (by: number) =>
      documentClient().send(
        new UpdateCommand({
          TableName,
          Key,
          UpdateExpression: "ADD balance :by",
          ExpressionAttributeValues: { ":by": by },
        }),
      );
    await move(1);
    const found = await atTerminal("reconcile", "--account", account);
    const env = { ...process.env, LOCAL_DIR: folder };
    expect((await runScript(script, ["reconcile"], { env })).code).toBe(2);
    const lines = await admin("reconcile", "--account", account);
    const asked = await atTerminal("reconcile", "--account", account, "--json");
    await move(-1);

    expect(found).toMatchObject({ code: 2, err: onlyProgress });
    expect(found.out.split("\n").slice(0, 2)).toEqual([
      `${account} shard 0: balance is 5001, should be 5000`,
      expect.stringMatching(/^reconcile: 1 account, .*: 1 difference$/),
    ]);
    expect(asked).toEqual(lines);
    const [difference, summary] = lines.out.split("\n").slice(0, 2);
    expect(JSON.parse(difference ?? "")).toEqual({
      place: `${account} shard 0`,
      field: "balance",
      stored: 5_001,
      expected: 5_000,
    });
    expect(JSON.parse(summary ?? "")).toMatchObject({ accounts: 1, differences: 1 });
    const unknown = await admin("reconcile", "--account", "acct_x");
    expect(unknown).toEqual({
      code: 1,
      out: "",
      err: "Account acct_x does not exist. Check the ID and --stage.\n",
    });
  });
});

describe("the admin command, with a wrong command line,", () => {
  it.each([
    [
      ["grunt"],
      "There is no command \"grunt\". Did you mean 'grant'? Run npm run admin for a list.",
    ],
    [["keys"], "--account is required. Add it with a value."],
    [
      ["keys", "--account", "a", "--pack", "x"],
      "keys does not accept --pack. Remove it. keys accepts: --account <acct_…>.",
    ],
    [
      ["grant", "--account", "a", "--id", "b", "--credits", "1.5"],
      '--credits must be an integer from 1 to 1000000000000 (got "1.5").',
    ],
    [
      ["purchase", "--account", "a", "--id", "b", "--pack", "huge"],
      '--pack must be one of starter, builder, growth, scale, volume (got "huge").',
    ],
    [
      ["dead-letters", "show", "--queue", "x"],
      '--queue must be one of runs, steps, finishes, deliveries (got "x").',
    ],
    ...["1e3", "0x10", " 5 ", "", "+5", "5.0"].map((credits): [string[], string] => [
      ["grant", "--account", "a", "--id", "b", "--credits", credits],
      credits === ""
        ? "--credits is required. Add it with a value."
        : `--credits must be an integer from 1 to 1000000000000 (got "${credits}").`,
    ]),
    [
      ["adjust", "--account", "a", "--id", "b", "--credits=-1000000000001"],
      '--credits must be an integer from -1000000000000 to 1000000000000 (got "-1000000000001").',
    ],
    [
      ["create-account", "--name", "a", "--email", "not an email"],
      '--email must be an email address (got "not an email").',
    ],
    [
      ["create-account", "--name", "a\u001b[31m", "--email", "a@b.example"],
      "'name' must not contain control characters, characters that change the direction of writing, or unpaired surrogates. Remove them.",
    ],
    [
      ["create-key", "--account", "a", "--name", "a\u0007"],
      "'name' must not contain control characters, characters that change the direction of writing, or unpaired surrogates. Remove them.",
    ],
    [["watchlists", "--account", "nope"], "Account nope does not exist. Check the ID and --stage."],
    [["credits", "--account", "nope"], "Account nope does not exist. Check the ID and --stage."],
    [
      ["runs", "--watchlist", "wl_nope"],
      "Watchlist wl_nope does not exist. Check the ID and --stage.",
    ],
    [["accounts", "--stage", "test"], '--stage must be one of dev, prod (got "test").'],
    [
      ["accounts", "--region", "eu-west-1"],
      "--region requires --stage. Add it, or remove --region: a local world has no region.",
    ],
    [
      ["accounts", "--role", "act"],
      "--role requires --stage. Add it, or remove --role: a local world has no roles.",
    ],
    [
      ["accounts", "--stage", "dev", "--role", "root"],
      '--role must be one of read, act, break-glass, none (got "root").',
    ],
    [
      ["restore", "--at", "2026-11-21"],
      '--at must be a second in UTC that exists, such as 2026-11-21T10:15:00Z (got "2026-11-21").',
    ],
    [
      ["restore", "--at", "2026-11-21T10:15:00Z"],
      "restore requires --stage. A local world has no backups.",
    ],
  ])("refuses the arguments %j with the message: %s", async (words, message) => {
    expect(await admin(...words)).toEqual({ code: 1, out: "", err: `${message}\n` });
  });

  it("explains how to start the local world if the command needs a local world and none is running", async () => {
    const nowhere = { LOCAL_DIR: join(folder, "none") };
    expect((await run(["packs"], nowhere)).out).toContain('"pack": "starter"');
    const { code, err } = await run(["accounts"], nowhere);
    expect(code).toBe(1);
    expect(err).toContain("Start one with npm start");
  });

  it("prints all commands if the command line names none, and the usage of a command if the command line has --help", async () => {
    const usage = await admin("--help");
    expect(usage.code).toBe(0);
    expect(usage.out).toMatch(/^ {2}dead-letters replay {2,}Moves the messages/m);
    expect(await admin()).toEqual({ ...usage, code: 1 });
    expect((await admin("grant", "--help")).out).toContain("Adds free credits.");
    expect((await admin("dead-letters", "replay", "--help")).out).toContain(
      "npm run admin -- dead-letters replay --queue <runs|steps|finishes|deliveries> [options]",
    );
  });
});

describe("the admin command, for a deployed stage,", () => {
  /** Runs the tool against the AWS double, whose stage has the local world's tables. */
  const deployed = (...words: string[]): Promise<Ended> =>
    run(words, {
      AWS_ENDPOINT_URL: aws.url,
      AWS_ENDPOINT_URL_DYNAMODB: world.ready["dynamodb_endpoint"] ?? "",
      AWS_REGION: "us-east-1",
    });
  const balanceOf = async (account: string): Promise<unknown> =>
    (await result("accounts", "show", "--account", account))["credit_balance"];
  const grant = (account: string, ...more: string[]): Promise<Ended> =>
    deployed("grant", "--account", account, "--id", "g", "--credits", "9", ...more);

  it("reads the outputs of the stage's stacks in the given region without asking for confirmation", async () => {
    const account = await openAccount();
    const where = ["--stage", "prod", "--region", "eu-west-1"];
    const { code, out } = await deployed("accounts", "show", "--account", account, ...where);

    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ id: account });
    expect(aws.asked).toEqual([
      "eu-west-1 GetCallerIdentity",
      "eu-west-1 AssumeRole RetailProductData-prod-eu-west-1-operator-read",
      "eu-west-1 DescribeStacks RetailProductData-prod-data",
    ]);
  });

  it("finds the stage's queues in the outputs of the service stack", async () => {
    const { code, out } = await deployed("dead-letters", "--stage", "dev");

    expect(code).toBe(0);
    expect((JSON.parse(out) as Answer).data.map((row) => row["dead_letters"])).toEqual([
      0, 0, 0, 0,
    ]);
    expect(aws.asked).toContain("us-east-1 DescribeStacks RetailProductData-dev-service");
  });

  it("changes a stage other than prod without asking for confirmation", async () => {
    const account = await openAccount();
    expect(await grant(account, "--stage", "dev")).toMatchObject({ code: 0, err: "" });
    expect(await balanceOf(account)).toBe(5_009);
  });

  it("assumes the role for changes, and writes audit lines before and after a change", async () => {
    const account = await openAccount();
    await grant(account, "--stage", "dev");

    expect(aws.asked).toEqual([
      "us-east-1 GetCallerIdentity",
      "us-east-1 AssumeRole RetailProductData-dev-us-east-1-operator-act",
      "us-east-1 DescribeStacks RetailProductData-dev-data",
      "us-east-1 DescribeStacks RetailProductData-dev-service",
      "us-east-1 PutLogEvents audit-log",
      "us-east-1 PutLogEvents audit-log",
    ]);
  });

  it("assumes the role that --role names, and no role with --role none", async () => {
    await deployed("accounts", "--stage", "dev", "--role", "break-glass");
    expect(aws.asked[1]).toContain("operator-break-glass");
    aws.asked.splice(0);
    await deployed("accounts", "--stage", "dev", "--role", "none");
    expect(aws.asked).toEqual([
      "us-east-1 GetCallerIdentity",
      "us-east-1 DescribeStacks RetailProductData-dev-data",
    ]);
  });

  it("explains what to do if the role cannot be assumed, and changes nothing", async () => {
    const account = await openAccount();
    aws.refuses = "AssumeRole";
    const { code, err } = await grant(account, "--stage", "dev");
    aws.refuses = "";

    expect(code).toBe(1);
    expect(err).toContain("RetailProductData-dev-us-east-1-operator-act cannot be assumed");
    expect(err).toContain("--role none");
    expect(await balanceOf(account)).toBe(5_000);
  });

  it("makes no change if the audit log refuses the line before the change", async () => {
    const account = await openAccount();
    aws.refuses = "PutLogEvents";
    const { code } = await grant(account, "--stage", "dev");
    aws.refuses = "";

    expect(code).toBe(1);
    expect(await balanceOf(account)).toBe(5_000);
  });

  it("refuses to change prod without --yes if the input is not a terminal", async () => {
    const account = await openAccount();
    const { code, out, err } = await grant(account, "--stage", "prod");

    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(`Grant 9 credits to ${account} (g)`);
    expect(err).toContain("in AWS account 111122223333, us-east-1, stage prod, as arn:aws:iam::");
    expect(err).toContain("Repeat the command with --yes. This change was not made.");
    expect(await balanceOf(account)).toBe(5_000);
  });

  it("changes prod without asking for confirmation if the command line has --yes", async () => {
    const account = await openAccount();
    const { code, err } = await grant(account, "--stage", "prod", "--yes");

    expect(code).toBe(0);
    expect(err).toContain("111122223333");
    expect(await balanceOf(account)).toBe(5_009);
  });

  it("names the missing stack and its region if the stage is not deployed", async () => {
    aws.isEmpty = true;
    const { code, err } = await deployed("accounts", "--stage", "dev");
    aws.isEmpty = false;

    expect(code).toBe(1);
    expect(err).toBe(
      "There is no stack RetailProductData-dev-data in us-east-1. Deploy the stack, or use another --region or AWS account.\n",
    );
  });

  it.each([
    ["prod\n", true],
    ["yes\n", false],
    ["\n", false],
    ["", false],
  ])(
    "asks at a terminal for confirmation of a change of prod (typed answer: %j, change confirmed: %j)",
    async (typed, isConfirmed) => {
      const input = Object.assign(new PassThrough(), { isTTY: true });
      const output = new PassThrough();
      input.end(typed);
      const operator = { arn: "arn:aws:iam::1:user/ops", awsAccount: "1", region: "us-east-1" };
      const asked = confirm(
        { stage: "prod", operator, change: "Grant", isConfirmed: false },
        { input, output },
      );
      const outcome = await asked.then(
        () => true,
        (error: Error) => error.message,
      );

      expect(outcome).toBe(
        isConfirmed
          ? true
          : `The input must be "prod" to confirm the change (got "${typed.trim()}"). This change was not made. Repeat the command.`,
      );
      expect(String(output.read())).toContain("Type prod to continue: ");
    },
  );
});

describe("the text output of the admin command", () => {
  it("shows lists in columns, and a single record as one line for each field, followed by its lists", () => {
    const rows = [
      { object: "row", id: "a", count: 1 },
      { object: "row", id: "bb", note: null },
    ];
    expect(textOf({ object: "list", data: rows, has_more: false })).toBe(
      ["id  count  note", "a   1      -", "bb  -      -"].join("\n"),
    );
    expect(textOf({ id: "x", none: [], rows })).toBe(
      [
        "id    x",
        "none  none",
        "rows",
        "  id  count  note",
        "  a   1      -",
        "  bb  -      -",
      ].join("\n"),
    );
    expect(textOf({ object: "list", data: [], has_more: false })).toBe("none");
    expect(textOf({ object: "list", data: [{ id: "a" }], has_more: true })).toBe(
      "id\na\n… more entries exist: increase --limit",
    );
  });

  it("escapes control characters that would affect the terminal", () => {
    const name = "evil\u001b]0;pwn\u0007\n\u202egnp";
    const shown = "evil\\u001b]0;pwn\\u0007\\u000a\\u202egnp";
    expect(textOf({ name })).toBe(`name  ${shown}`);
    expect(textOf({ data: [{ name }] })).toBe(`name\n${shown}`);
  });
});

interface AwsDouble {
  readonly server: Server;
  readonly url: string;
  /** Region, action and stack of each request. */
  readonly asked: string[];
  isEmpty: boolean;
  /** The action that is refused. */
  refuses: string;
}

/**
 * Starts a server that forwards each request to the queues of the local world. Before that, the
 * server calls `onRequest` with the operation in the request, such as `AmazonSQS.SendMessage`.
 */
async function startSqsForwarder(
  onRequest: (target: string) => void,
): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer((request, response) => {
    const target = String(request.headers["x-amz-target"]);
    onRequest(target);
    void text(request).then(async (body) => {
      const answer = await fetch(world.ready["sqs_endpoint"] ?? "", {
        method: "POST",
        headers: { "content-type": "application/x-amz-json-1.0", "x-amz-target": target },
        body,
      });
      response.writeHead(answer.status, { "content-type": "application/x-amz-json-1.0" });
      response.end(await answer.text());
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://127.0.0.1:${port}` };
}

/**
 * Starts doubles of CloudFormation (with the stacks of one stage), STS and CloudWatch Logs. They
 * support only the requests that the tool sends.
 */
async function startAwsDouble(): Promise<AwsDouble> {
  const double = { asked: [] as string[], isEmpty: false, refuses: "" };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { region, isJson, action, subject } = requestOf(request, body);
      double.asked.push(`${region} ${action} ${subject}`.trimEnd());
      const isRefused =
        action === double.refuses || (action === "DescribeStacks" && double.isEmpty);
      response.statusCode = isRefused ? 400 : 200;
      response.setHeader("content-type", isJson ? "application/x-amz-json-1.1" : "text/xml");
      response.end(isJson ? "{}" : awsAnswer(action, subject, isRefused));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(double, { server, url: `http://127.0.0.1:${port}` });
}

/**
 * Describes a request to AWS: its region, its action, and the name of its stack, role or log group.
 */
function requestOf({ headers }: IncomingMessage, body: string) {
  const [, region] = /\/\d{8}\/([\w-]+)\//.exec(headers.authorization ?? "") ?? [];
  const [, target] = String(headers["x-amz-target"] ?? "").split(".");
  if (target !== undefined) {
    const { logGroupName: subject } = JSON.parse(body) as { logGroupName: string };
    return { region, isJson: true, action: target, subject };
  }
  const wanted = new URLSearchParams(body);
  const role = wanted.get("RoleArn")?.replace(/.*\//, "");
  const subject = wanted.get("StackName") ?? role ?? "";
  return { region, isJson: false, action: wanted.get("Action") ?? "", subject };
}

function awsAnswer(action: string, stack: string, isEmpty: boolean): string {
  if (action === "GetCallerIdentity") {
    return `<GetCallerIdentityResponse><GetCallerIdentityResult>
      <Arn>arn:aws:iam::111122223333:user/ops</Arn><Account>111122223333</Account>
    </GetCallerIdentityResult></GetCallerIdentityResponse>`;
  }
  if (action === "AssumeRole" && !isEmpty) {
    return `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>role</AccessKeyId>
      <SecretAccessKey>role</SecretAccessKey><SessionToken>role</SessionToken>
      <Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`;
  }
  if (isEmpty) {
    return `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code>
      <Message>Stack with id ${stack} does not exist</Message></Error></ErrorResponse>`;
  }
  const outputs = Object.entries(stack.endsWith("-data") ? tableOutputs() : queueOutputs()).map(
    ([key, value]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return `<DescribeStacksResponse><DescribeStacksResult><Stacks><member>
    <StackName>${stack}</StackName><Outputs>${outputs.join("")}</Outputs>
  </member></Stacks></DescribeStacksResult></DescribeStacksResponse>`;
}

const tableOutputs = (): Record<string, string> => ({
  OperatorAuditLogName: "audit-log",
  ...Object.fromEntries(
    ["Accounts", "Ledger", "Watchlists", "Deliveries"].map((name) => [
      `${name}TableName`,
      world.ready[`${name.toLowerCase()}_table`] ?? "",
    ]),
  ),
});

const queueOutputs = (): Record<string, string> =>
  Object.fromEntries(
    ["Runs", "Steps", "Finishes", "Deliveries"]
      .flatMap((name) => [`${name}Queue`, `${name}DeadLetterQueue`])
      .map((name) => [`${name}Url`, queueUrl(name)]),
  );
