import { describe, expect, it } from "vitest";
import type { TableSettings } from "../../../../scripts/admin/restore/restore-cloud.ts";
import {
  discardRestore,
  planSteps,
  type RestoreOutcome,
  restoreStage,
} from "../../../../scripts/admin/restore/restore-stage.ts";
import { MemoryRestoreCloud } from "./memory-restore-cloud.ts";

const at = "2026-11-21T10:15:00Z";
const names = ["accounts", "ledger", "watchlists", "deliveries"];
const stacks = { data: "RetailProductData-prod-data", service: "RetailProductData-prod-service" };
const restore = { stage: "prod", at, tables: names, stacks };
const settings: TableSettings = {
  timeToLive: "ttl",
  pointInTimeRecovery: true,
  deletionProtection: true,
  tags: { stage: "prod" },
};

/** Creates a stage whose rows were damaged after the time of the restore. */
function world() {
  const cloud = new MemoryRestoreCloud();
  for (const name of names) {
    cloud.addTable(name, `good ${name}`, settings);
    cloud.write(name, "2026-11-21T10:16:00Z", `bad ${name}`);
  }
  cloud.service = "CREATE_COMPLETE";
  const confirmed: string[] = [];
  const lines: string[] = [];
  const state = { differences: 0, refuses: (_change: string) => false };
  const tools = {
    cloud,
    reconcile: async () => state.differences,
    confirm: async (change: string) => {
      if (state.refuses(change)) throw new Error("Not confirmed.");
      confirmed.push(change);
    },
    note: (line: string) => void lines.push(line),
    clock: { now: () => new Date("2026-11-21T12:00:00Z"), sleep: async () => {} },
    pollMs: 0,
  };
  return { cloud, tools, confirmed, lines, state };
}
type World = ReturnType<typeof world>;

const contentsOf = ({ cloud }: World) => names.map((name) => cloud.contentOf(name));
const goodRows = names.map((name) => `good ${name}`);
const badRows = names.map((name) => `bad ${name}`);

/**
 * Runs the restore until it ends. When it waits for the service, deploys the service and runs the
 * restore again.
 */
async function toTheEnd({ cloud, tools }: World): Promise<RestoreOutcome> {
  const outcome = await restoreStage(restore, tools);
  if (outcome.state === "completed" || outcome.step !== "deploy") return outcome;
  cloud.service = "CREATE_COMPLETE";
  return restoreStage(restore, tools);
}

describe("restoreStage, which restores the tables of a stage,", () => {
  it("restores the rows and settings of all tables, and then removes the restore's copies, backups and progress", async () => {
    const one = world();
    await expect(toTheEnd(one)).resolves.toEqual({ state: "completed", at });

    expect(contentsOf(one)).toEqual(goodRows);
    for (const name of names) expect(await one.cloud.settingsOf(name)).toEqual(settings);
    expect([...one.cloud.tables.keys()].toSorted()).toEqual(names.toSorted());
    expect(one.cloud.backups.size).toBe(0);
    expect(one.cloud.stored).toBeUndefined();
  });

  it("waits after the tables are replaced until the operator has deployed the service again", async () => {
    const { cloud, tools } = world();
    const waiting = await restoreStage(restore, tools);

    expect(waiting).toMatchObject({ state: "waiting", step: "deploy" });
    expect(waiting).toHaveProperty("operatorMust", expect.stringContaining("cdk deploy --all"));
    const again = await restoreStage(restore, tools);
    expect(again).toEqual(waiting);
    cloud.service = "CREATE_COMPLETE";
    expect(await restoreStage(restore, tools)).toEqual({ state: "completed", at });
  });

  it("asks for confirmation only before it stops the service, before it replaces the tables and before it deletes the copies", async () => {
    const one = world();
    await toTheEnd(one);

    expect(one.confirmed.map((change) => change.split(" ").slice(0, 2).join(" "))).toEqual([
      "Step stop",
      "Step replace",
      "Step clean-up",
    ]);
  });

  it.each(["stop", "replace"])(
    "changes no row of the service if the operator does not confirm step '%s', and continues with that step when the restore is repeated",
    async (step) => {
      const one = world();
      one.state.refuses = (change) => change.startsWith(`Step ${step} `);
      await expect(restoreStage(restore, one.tools)).rejects.toThrow("Not confirmed.");

      expect(contentsOf(one)).toEqual(badRows);
      expect(one.cloud.service).toBe(step === "stop" ? "CREATE_COMPLETE" : undefined);
      one.state.refuses = () => false;
      const before = one.cloud.requests.length;
      expect(await toTheEnd(one)).toEqual({ state: "completed", at });
      const repeated = one.cloud.requests.slice(before);
      expect(repeated.filter((request) => request.startsWith("restoreToTime"))).toEqual([]);
    },
  );

  it("restores every table exactly once, even if the restore is repeated after a lost response", async () => {
    const whole = world();
    await toTheEnd(whole);
    for (let failAfter = 0; failAfter < whole.cloud.requests.length; failAfter += 1) {
      const one = world();
      one.cloud.failAfter = failAfter;
      await expect(toTheEnd(one), `request ${failAfter}`).rejects.toThrow("connection lost");
      // The last request deletes the progress. If it took effect, a further call would start a new
      // restore.
      if (one.cloud.requests.at(-1) !== "deleteProgress") {
        expect(await toTheEnd(one)).toEqual({ state: "completed", at });
      }

      expect(contentsOf(one), `request ${failAfter}`).toEqual(goodRows);
      for (const name of names) expect(await one.cloud.settingsOf(name)).toEqual(settings);
      expect([...one.cloud.tables.keys()].toSorted()).toEqual(names.toSorted());
      expect(one.cloud.backups.size).toBe(0);
      for (const name of names) {
        const deletions = one.cloud.requests.filter((request) => request === `deleteTable ${name}`);
        expect(deletions).toHaveLength(1);
      }
    }
  });

  it("deletes no table while the service stack exists", async () => {
    const one = world();
    one.state.refuses = (change) => change.startsWith("Step replace ");
    await expect(restoreStage(restore, one.tools)).rejects.toThrow("Not confirmed.");
    one.state.refuses = () => false;
    one.cloud.service = "CREATE_COMPLETE";

    await expect(restoreStage(restore, one.tools)).rejects.toThrow("exists again");
    expect(contentsOf(one)).toEqual(badRows);
  });

  it("deletes no table while the backup of a table is missing", async () => {
    const one = world();
    one.state.refuses = (change) => change.startsWith("Step replace ");
    await expect(restoreStage(restore, one.tools)).rejects.toThrow("Not confirmed.");
    one.state.refuses = () => false;
    const [last = ""] = [...one.cloud.backups.keys()].slice(-1);
    one.cloud.backups.delete(last);

    await expect(restoreStage(restore, one.tools)).rejects.toThrow("so no table was deleted.");
    expect(contentsOf(one)).toEqual(badRows);
  });

  it("fails with instructions if the service stack cannot be deleted", async () => {
    const { cloud, tools } = world();
    cloud.deleteService = async () => {
      cloud.service = "DELETE_FAILED";
    };

    await expect(restoreStage(restore, tools)).rejects.toThrow("DELETE_FAILED");
  });

  it("keeps the copies if reconcile finds differences, and deletes the copies when the restore is repeated", async () => {
    const one = world();
    one.state.differences = 2;
    const outcome = await toTheEnd(one);

    expect(outcome).toMatchObject({ state: "waiting", step: "reconcile" });
    expect(outcome).toHaveProperty("operatorMust", expect.stringContaining("2 differences"));
    expect(one.cloud.tables.has("ledger-restored")).toBe(true);
    expect(await restoreStage(restore, one.tools)).toEqual({ state: "completed", at });
    expect(one.cloud.tables.has("ledger-restored")).toBe(false);
  });

  it("prints the differences between the data stack and its resources, and continues", async () => {
    const one = world();
    one.cloud.drifted = ["LedgerTable: MODIFIED (/Tags)"];

    expect(await toTheEnd(one)).toEqual({ state: "completed", at });
    expect(one.lines).toContain("  LedgerTable: MODIFIED (/Tags)");
  });

  it("prints why the data stack could not be compared with its resources, and continues", async () => {
    const one = world();
    one.cloud.drift = async () => {
      throw new Error("AccessDenied");
    };

    expect(await toTheEnd(one)).toEqual({ state: "completed", at });
    expect(one.lines).toContain("  RetailProductData-prod-data was not compared: AccessDenied");
  });

  it("prints a line every 5 minutes while it waits, and stops after 24 hours", async () => {
    const one = world();
    let nowMs = Date.parse("2026-11-21T12:00:00Z");
    const clock = {
      now: () => new Date(nowMs),
      sleep: async (ms: number) => void (nowMs += ms),
    };
    one.cloud.deleteService = async () => {};
    const waiting = restoreStage(restore, { ...one.tools, clock, pollMs: 10_000 });

    const state = "until RetailProductData-prod-service is deleted";
    await expect(waiting).rejects.toThrow(`has waited 24 hours ${state}`);
    const lines = one.lines.filter((line) => line.startsWith("  waiting"));
    expect(lines[0]).toBe(`  waiting ${state}, for 5 minutes`);
    expect(lines).toHaveLength(24 * 12 - 1);
  });

  it("fails if a table or backup is deleted while the restore waits for this table or backup", async () => {
    const table = world();
    table.cloud.restoreToTime = async () => {};
    await expect(restoreStage(restore, table.tools)).rejects.toThrow(
      "The restore waits until accounts-restored is active, but the table or backup does not exist.",
    );
    const backup = world();
    backup.cloud.createBackup = async () => {};
    await expect(restoreStage(restore, backup.tools)).rejects.toThrow(
      "The restore waits until the backup restored-2026-11-21T10.15.00Z of accounts-restored is available, but the table or backup does not exist.",
    );
    expect(contentsOf(backup)).toEqual(badRows);
  });

  it("refuses a restore to another time while a restore is in progress, and names that restore's time", async () => {
    const one = world();
    await restoreStage(restore, one.tools);
    const other = { ...restore, at: "2026-11-20T00:00:00Z" };

    await expect(restoreStage(other, one.tools)).rejects.toThrow(`--at ${at}`);
  });

  it.each(["2026-10-17T11:59:59Z", "2026-11-21T11:55:01Z", "2027-01-01T00:00:00Z"])(
    "refuses the time '%s' outside the range of point-in-time recovery, and stores nothing",
    async (outside) => {
      const one = world();
      const message = /^--at must be from 2026-10-17T12:00:00.000Z .* to 2026-11-21T11:55:00.000Z/;
      const wanted = { ...restore, at: outside };
      await expect(restoreStage(wanted, one.tools)).rejects.toThrow(message);
      await expect(planSteps(wanted, one.tools)).rejects.toThrow(message);

      expect(one.cloud.requests).toEqual([]);
      expect(one.cloud.stored).toBeUndefined();
    },
  );

  it("accepts the earliest and the latest second that point-in-time recovery covers", async () => {
    for (const inside of ["2026-10-17T12:00:00Z", "2026-11-21T11:55:00Z"]) {
      expect(await planSteps({ ...restore, at: inside }, world().tools)).toHaveLength(9);
    }
  });

  it("does not begin if a table is missing, or if a table already has the name of a planned copy", async () => {
    const missing = world();
    missing.cloud.tables.delete("ledger");
    await expect(restoreStage(restore, missing.tools)).rejects.toThrow("There is no table ledger");
    const taken = world();
    taken.cloud.addTable("ledger-restored", "other", settings);
    await expect(restoreStage(restore, taken.tools)).rejects.toThrow(
      "The table ledger-restored already exists",
    );

    expect([...missing.cloud.requests, ...taken.cloud.requests]).toEqual([]);
  });
});

describe("planSteps, the dry run of a restore,", () => {
  it("lists the steps of a restore before it begins and while it is in progress, and changes nothing", async () => {
    const one = world();
    const before = await planSteps(restore, one.tools);
    expect(one.cloud.requests).toEqual([]);
    expect(before.map(({ state }) => state)).toEqual(["next", ...Array(8).fill("pending")]);
    expect(before.filter(({ irreversible }) => irreversible).map(({ step }) => step)).toEqual([
      "stop",
      "replace",
      "clean-up",
    ]);

    await restoreStage(restore, one.tools);
    const requests = one.cloud.requests.length;
    const during = await planSteps(restore, one.tools);
    expect(one.cloud.requests).toHaveLength(requests);
    expect(during.find(({ state }) => state === "next")).toMatchObject({ step: "deploy" });
  });
});

describe("discardRestore, which cancels a restore,", () => {
  it("removes the copies, backups and progress of a restore that has not replaced a table", async () => {
    const one = world();
    one.state.refuses = (change) => change.startsWith("Step stop ");
    await expect(restoreStage(restore, one.tools)).rejects.toThrow("Not confirmed.");
    expect(await discardRestore(restore, one.tools)).toEqual({ at, state: "discarded" });

    expect(contentsOf(one)).toEqual(badRows);
    expect([...one.cloud.tables.keys()].toSorted()).toEqual(names.toSorted());
    expect(one.cloud.backups.size).toBe(0);
    expect(one.cloud.stored).toBeUndefined();
    await expect(discardRestore(restore, one.tools)).rejects.toThrow("No restore of prod");
  });

  it("instructs the operator to deploy the service if the service stack was deleted", async () => {
    const one = world();
    one.state.refuses = (change) => change.startsWith("Step replace ");
    await expect(restoreStage(restore, one.tools)).rejects.toThrow("Not confirmed.");

    expect(await discardRestore(restore, one.tools)).toEqual({
      at,
      state: "discarded",
      operatorMust:
        "The stack RetailProductData-prod-service is deleted. Run: npx cdk deploy --all -c stage=prod",
    });
    expect(one.cloud.stored).toBeUndefined();
  });

  it("refuses to discard a restore that has deleted a table", async () => {
    const one = world();
    one.cloud.restoreFromBackup = async () => {
      throw new Error("connection lost");
    };
    await expect(restoreStage(restore, one.tools)).rejects.toThrow("connection lost");

    await expect(discardRestore(restore, one.tools)).rejects.toThrow("cannot be discarded");
    expect(one.cloud.backups.size).toBe(4);
  });
});
