import { beforeEach, describe, expect, it } from "vitest";
import type {
  Progress,
  RestoreCloud,
  TableSettings,
} from "../../../../scripts/admin/restore/restore-cloud.ts";

/** An AWS account with a data stack and a service stack, without tables of a stage. */
export interface CloudWorld {
  readonly cloud: RestoreCloud;
  /** Creates a table with one row and waits until it is active. */
  createTable(name: string, row: string, settings: TableSettings): Promise<void>;
  /** Returns the row of a table. */
  rowOf(name: string): Promise<string | undefined>;
  createService(): Promise<void>;
}

const settings: TableSettings = {
  timeToLive: "ttl",
  pointInTimeRecovery: true,
  deletionProtection: true,
  tags: { service: "retail-product-data", stage: "prod" },
};
const unset: TableSettings = {
  timeToLive: null,
  pointInTimeRecovery: false,
  deletionProtection: false,
  tags: {},
};

async function until(isReached: () => Promise<boolean>): Promise<void> {
  while (!(await isReached())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/**
 * Registers the tests of the behavior of AWS on which a restore relies. Each test uses a table with
 * a different name.
 */
export function restoreCloudContract(name: string, open: () => Promise<CloudWorld>): void {
  describe(`the requests of a restore, sent to ${name},`, () => {
    let world: CloudWorld;
    let cloud: RestoreCloud;
    let tables = 0;
    let table = "";
    beforeEach(async () => {
      world = await open();
      cloud = world.cloud;
      tables += 1;
      table = `table-${tables}`;
    });

    const untilActive = (wanted: string) =>
      until(async () => (await cloud.table(wanted))?.isActive === true);
    const deleted = (wanted: string) =>
      until(async () => {
        const state = await cloud.table(wanted);
        if (state?.isActive === true) await cloud.deleteTable(wanted);
        return state === undefined;
      });

    it("report a missing table, backup, service stack or progress as missing", async () => {
      expect(await cloud.table(table)).toBeUndefined();
      expect(await cloud.backup(table, "none")).toBeUndefined();
      expect(await cloud.serviceStatus()).toBeUndefined();
      expect(await cloud.progress()).toBeUndefined();
    });

    it("return the settings of a table", async () => {
      await world.createTable(table, "row", settings);

      expect(await cloud.settingsOf(table)).toEqual(settings);
    });

    it("restore a table to a new table with the same rows but without its settings, and refuse the name of an existing table", async () => {
      await world.createTable(table, "row", settings);
      const at = new Date().toISOString();
      await cloud.restoreToTime(table, `${table}-restored`, at);
      await untilActive(`${table}-restored`);

      expect(await world.rowOf(`${table}-restored`)).toBe("row");
      expect(await cloud.settingsOf(`${table}-restored`)).toEqual(unset);
      await expect(cloud.restoreToTime(table, `${table}-restored`, at)).rejects.toThrow(/exist/i);
    });

    it("restore a backup under the name of its deleted table, and give the new table another ID", async () => {
      await world.createTable(table, "row", unset);
      const before = await cloud.table(table);
      await cloud.createBackup(table, "restored-1");
      await until(async () => (await cloud.backup(table, "restored-1"))?.isAvailable === true);
      const backup = await cloud.backup(table, "restored-1");
      await expect(cloud.restoreFromBackup(backup?.id ?? "", table)).rejects.toThrow(/exist/i);
      await deleted(table);
      await cloud.restoreFromBackup(backup?.id ?? "", table);
      await untilActive(table);

      expect(await world.rowOf(table)).toBe("row");
      expect((await cloud.table(table))?.id).not.toBe(before?.id);
      await cloud.deleteBackup(backup?.id ?? "");
      expect(await cloud.backup(table, "restored-1")).toBeUndefined();
    });

    it("remove the deletion protection of a table and then delete the table", async () => {
      await world.createTable(table, "row", settings);
      await cloud.deleteTable(table);
      await untilActive(table);

      expect((await cloud.settingsOf(table)).deletionProtection).toBe(false);
      await deleted(table);
      expect(await cloud.table(table)).toBeUndefined();
    });

    it("apply all settings to a table, and change nothing when the settings are applied again", async () => {
      await world.createTable(table, "row", unset);
      await cloud.applySettings(table, settings);
      await untilActive(table);
      await cloud.applySettings(table, settings);

      expect(await cloud.settingsOf(table)).toEqual(settings);
    });

    it("delete the service stack", async () => {
      await world.createService();
      await until(async () => (await cloud.serviceStatus()) === "CREATE_COMPLETE");
      await cloud.deleteService();
      await until(async () => (await cloud.serviceStatus()) === undefined);

      await cloud.deleteService();
      expect(await cloud.serviceStatus()).toBeUndefined();
    });

    it("report no difference if the data stack matches its resources", async () => {
      expect(await cloud.drift()).toEqual([]);
    });

    it("store the progress of a restore until it is deleted", async () => {
      const progress: Progress = {
        version: 1,
        at: "2026-11-21T10:15:00Z",
        startedAt: "2026-11-21T12:00:00.000Z",
        tables: [{ name: table, id: "id", settings }],
        done: [],
      };
      await cloud.saveProgress(progress);
      await cloud.saveProgress({ ...progress, done: ["copy"] });

      expect(await cloud.progress()).toEqual({ ...progress, done: ["copy"] });
      await cloud.deleteProgress();
      expect(await cloud.progress()).toBeUndefined();
    });
  });
}
