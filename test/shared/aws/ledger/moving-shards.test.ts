import { BatchGetCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { beforeAll, expect, it } from "vitest";
import { dynamoLedger } from "../../../../shared/aws/ledger/ledger.ts";
import { concurrencyTiers } from "../../../../shared/base/limits.ts";
import { systemRandom, systemClock } from "../../../../shared/base/system.ts";
import type { Ledger, ReserveOutcome } from "../../../../shared/credits/ledger.ts";
import { type DynamoLedgerWorld, startLedgerWorld } from "../../../support/ledger-world.ts";
import { watchedClient } from "../../../support/watched-client.ts";

let world: DynamoLedgerWorld;
beforeAll(async () => {
  world = await startLedgerWorld();
});

const ledgerOf = (client: DynamoDBDocumentClient): Ledger =>
  dynamoLedger(client, {
    accountsTable: world.accountsTable,
    ledgerTable: world.ledgerTable,
    clock: systemClock,
    random: systemRandom,
  });

const reserve = (
  ledger: Ledger,
  { accountId, holdId, credits = 1 }: { accountId: string; holdId: string; credits?: number },
): Promise<ReserveOutcome> => {
  const now = systemClock.now();
  const expiresAt = new Date(now.getTime() + 60_000);
  const source = { requestId: holdId };
  return ledger.reserve({ accountId, holdId, credits, slot: true, source, now, expiresAt });
};

type Rows = readonly Record<string, unknown>[];
interface Answer {
  readonly Responses?: Record<string, Rows>;
}

/**
 * DynamoDB reads the rows of one request at different times. Returns a client whose first batch
 * read reads the rows that `readsFirst` selects before `meantime` runs, and the others after it.
 */
function readsAround(
  meantime: () => Promise<void>,
  readsFirst: (row: Record<string, unknown>) => boolean,
): DynamoDBDocumentClient {
  let isDone = false;
  return watchedClient(world.client, async (command, send) => {
    if (!(command instanceof BatchGetCommand) || isDone) return send();
    isDone = true;
    const before = rowsOf((await send()) as Answer);
    await meantime();
    const after = rowsOf((await send()) as Answer);
    const early = before.filter(readsFirst);
    const late = after.filter((row) => !readsFirst(row));
    return { Responses: { [world.accountsTable]: [...early, ...late] } };
  });
}

const isFirstShard = ({ shard }: Record<string, unknown>): boolean => shard === 0;
const isAccount = ({ shard }: Record<string, unknown>): boolean => shard === undefined;

const rowsOf = ({ Responses }: Answer): Rows => Responses?.[world.accountsTable] ?? [];

it("a call gets a free slot even if the slot moves to another ledger shard while the shards are read", async () => {
  const tier = concurrencyTiers.find(({ concurrency }) => concurrency >= 20);
  const accountId = await world.open(tier?.atLifetimeCredits ?? 0);
  const slots = tier?.concurrency ?? 0;
  const other = world.ledger();
  for (let n = 0; n < slots - 1; n += 1) await reserve(other, { accountId, holdId: `call ${n}` });

  const ledger = ledgerOf(
    readsAround(async () => {
      // Moves the free slot: a call of the first shard ends, and a new call takes the free slot of
      // another shard.
      const now = systemClock.now();
      await other.settle({ accountId, holdId: "call 0", credits: 1, succeeded: true, now });
      await reserve(other, { accountId, holdId: "next" });
    }, isFirstShard),
  );

  expect(await reserve(ledger, { accountId, holdId: "last" })).toEqual({ outcome: "reserved" });
});

it("a call gets its credits even if the credits move to new ledger shards while the shards are read", async () => {
  const accountId = await world.open(20_000);
  const other = world.ledger();
  // All slots of the account are in use, so the call reads the shards.
  for (let n = 0; n < 5; n += 1) await reserve(other, { accountId, holdId: `call ${n}` });

  const ledger = ledgerOf(
    readsAround(async () => {
      const now = systemClock.now();
      const change = { accountId, changeId: "pack", type: "purchase" as const, now };
      await world.changes.apply({ ...change, credits: 10_000 });
    }, isAccount),
  );

  expect(await reserve(ledger, { accountId, holdId: "large", credits: 18_000 })).toEqual({
    outcome: "reserved",
  });
});
