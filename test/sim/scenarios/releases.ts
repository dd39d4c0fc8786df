import assert from "node:assert/strict";
import { isOfKind, rowKinds } from "../../../shared/base/stored-kinds.ts";
import { versionOf, type WrittenVersions } from "../../../shared/base/stored-versions.ts";
import { migrationsOf } from "../../../tools/migrations/migrations.ts";
import { runMigration } from "../../../tools/migrations/run-migration.ts";
import { kindsAt } from "../../support/next-versions.ts";
import { isInjected } from "../checks/failures.ts";
import { assertReconciled } from "../checks/reconciled.ts";
import { allRows } from "../checks/table-rows.ts";
import type { Scenario } from "../scenario.ts";
import type { Task } from "../task-scheduler.ts";
import type { World } from "../world.ts";
import { anyPlan, playRuns } from "./runs.ts";

/**
 * Watchlists run while some functions write version 1 of three kinds of rows, other functions write
 * version 2, and an operator migrates rows.
 */
export const releases: Scenario = {
  name: "releases",
  about: "runs, while functions of several releases write different versions of rows",
  mixesReleases: true,
  async play(world) {
    const plan = anyPlan(world.random);
    countConversions(world);
    await playRuns(world, {
      ...plan,
      act: async (scene, list) => {
        const operator = list === scene.lists[0] ? migrateUnderFaults(world) : undefined;
        await plan.act(scene, list);
        await operator;
      },
    });
    await checkMigrated(world);
  },
};

/**
 * Counts how often one row was converted to another version, and how often the row changed during
 * its conversion. Both the migration and an update of a row convert rows.
 */
function countConversions(world: World): void {
  const isConversion = (site: string): boolean =>
    site.startsWith("shared/aws/table/convert-row.ts");
  world.afterEffect.push(({ site }) => {
    if (isConversion(site)) world.reached("a row was converted to another version");
  });
  world.onRefusal.push(({ site }, { name }) => {
    if (isConversion(site) && name === "ConditionalCheckFailedException")
      world.reached("a row changed during its conversion");
  });
}

/** The time after which an operator repeats an interrupted migration, in milliseconds. */
const repeatMs = 20_000;
const attemptsMax = 3;

/** Migrates rows while functions write. Repeats a migration that crashed or failed. */
async function migrateUnderFaults(world: World): Promise<void> {
  const { random, pause } = world;
  for (const to of random.pick([[], ["current"], ["current", "previous"]] as const)) {
    await pause(random.between(0, 60_000));
    for (let attempts = 1; attempts <= attemptsMax; attempts += 1) {
      const { state } = await migration(world, to);
      if (state === "done") break;
      world.reached("a migration was interrupted");
      await pause(repeatMs);
    }
  }
}

const migration = (world: World, to: WrittenVersions): Promise<Task> =>
  new Promise((resolve, reject) => {
    const work = async (): Promise<void> => {
      // `begin` runs the task up to its first call. This empty call lets the seed also determine
      // the order of the work that follows.
      await world.tasks.call({ label: "begins", effect: async () => {} });
      await migrateAll(world, { to, client: world.operatorClient, pageRows: 3 });
    };
    world.tasks.begin(`migration to ${to}`, work, (task) => {
      const { error } = task;
      if (error instanceof Error && !isInjected(error.name, world.profile)) reject(error);
      else resolve(task);
    });
  });

interface Migrating {
  readonly to: WrittenVersions;
  readonly client: World["plainClient"];
  readonly pageRows?: number;
}

async function migrateAll(world: World, { to, client, ...bounds }: Migrating): Promise<number> {
  const { table, clock, randomSource: random } = world;
  const tables = { accounts: table, ledger: table, watchlists: table, deliveries: table };
  const kinds = kindsAt(2);
  let failed = 0;
  for (const one of migrationsOf({ client, tables, clock, random, to, kinds })) {
    const tally = await runMigration(one, {
      client,
      tables,
      isDryRun: false,
      ...bounds,
      report: () => {},
      warn: () => {},
    });
    failed += tally.failed;
  }
  return failed;
}

/** Checks that a migration in each direction converts all rows and loses nothing (invariant S3). */
async function checkMigrated(world: World): Promise<void> {
  const { table, plainClient: client } = world;
  // The migration to the previous version merges rows, which the migration back does not undo.
  assert.equal(await migrateAll(world, { to: "previous", client }), 0, "rows that were not merged");
  const secondRows = (await allRows(world)).filter((row) => isOfKind(rowKinds.pageSecondRow, row));
  assert.deepEqual(secondRows, [], "rows with changed items after the migration");
  const before = await allRows(world);
  for (const [to, version] of [
    ["current", 2],
    ["previous", 1],
  ] as const) {
    assert.equal(await migrateAll(world, { to, client }), 0, "rows that could not be migrated");
    const { run, watchlist, itemPage } = kindsAt(2);
    const rows = (await allRows({ client, table })).filter((row) =>
      [run, watchlist, itemPage].some((kind) => isOfKind(kind, row)),
    );
    const others = rows.filter((row) => versionOf(row) !== version);
    assert.deepEqual(others, [], `rows without version ${version} after the migration`);
    assert.deepEqual(await allRows(world), before, "the rows after the migration");
    await assertReconciled(world);
  }
}
