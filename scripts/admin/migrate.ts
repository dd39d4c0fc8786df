import { plainDocumentClient } from "../../shared/aws/table/dynamo.ts";
import type { WrittenVersions } from "../../shared/base/stored-versions.ts";
import { systemClock, systemRandom } from "../../shared/base/system.ts";
import { migrationsOf } from "../../tools/migrations/migrations.ts";
import { type MigrationTally, runMigration } from "../../tools/migrations/run-migration.ts";
import { quantity } from "../../shared/base/quantity.ts";
import type { Admin, Commands, Values } from "./command.ts";
import { runReconcile } from "./reconcile-command.ts";

export const migrateCommands: Commands = {
  migrate: {
    example: "--stage prod --region us-east-1 --dry-run",
    role: "break-glass",
    takes: ["dry-run", "previous"],
    about:
      "Converts rows of earlier releases, while calls and runs continue, and then runs reconcile. Run it after " +
      "an upgrade. Repeat it until no row is pending: it skips converted rows.",
    changes: (values) =>
      values["dry-run"] === true ? undefined : `Convert rows to ${versionName(versionsOf(values))}`,
    run: migrate,
  },
};

const versionsOf = ({ previous }: Values): WrittenVersions =>
  previous === true ? "previous" : "current";

const versionName = (to: WrittenVersions): string =>
  to === "previous" ? "the version before the current one" : "the current version";

async function migrate(values: Values, admin: Admin): Promise<unknown> {
  const { tables } = admin.target;
  const client = plainDocumentClient(admin.target.clientOptions);
  const time = { clock: systemClock, random: systemRandom };
  const isDryRun = values["dry-run"] === true;
  const progress = admin.progress(null);
  let hasFailed = false;
  for (const migration of migrationsOf({ client, tables, to: versionsOf(values), ...time })) {
    const { name, about } = migration;
    const tally = await runMigration(migration, {
      client,
      tables,
      isDryRun,
      report: ({ read, migrated }) =>
        progress.begin(`${name}: ${quantity(read, "row")} read, ${migrated} migrated`),
      warn: admin.warn,
    });
    hasFailed ||= tally.failed > 0;
    admin.printLine(
      admin.isText
        ? `${name}, ${about}: ${tallyText(tally, isDryRun)}`
        : JSON.stringify({ migration: name, dry_run: isDryRun, ...tally }),
    );
  }
  if (!isDryRun) await runReconcile({}, admin);
  if (hasFailed) admin.endWith(1);
  return undefined;
}

const tallyText = (
  { read, pending, migrated, failed }: MigrationTally,
  isDryRun: boolean,
): string =>
  `${quantity(read, "row")} read, ${pending} pending` +
  (isDryRun ? "" : `, ${migrated} migrated, ${failed} failed`);
