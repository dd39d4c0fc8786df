import {
  TransactionCanceledException,
  type TransactionCanceledException as Cancelled,
} from "@aws-sdk/client-dynamodb";
import { ScanCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dynamoEndpointStore } from "../../../shared/aws/deliveries/endpoint-store.ts";
import { deliveryKeys } from "../../../shared/aws/table/table.ts";
import { isServiceError } from "../../../shared/base/errors.ts";
import { limits } from "../../../shared/base/limits.ts";
import { systemClock } from "../../../shared/base/system.ts";
import { addressPolicy } from "../../../shared/outgoing/address-policy.ts";
import { createEndpoint } from "../../../shared/webhooks/create-endpoint.ts";
import { deleteEndpoint } from "../../../shared/webhooks/delete-endpoint.ts";
import { rotateSecret } from "../../../shared/webhooks/rotate-secret.ts";
import { updateEndpoint } from "../../../shared/webhooks/update-endpoint.ts";
import { memorySecretBox } from "../../../tools/stand-ins/memory-secret-box.ts";
import { countingRandom } from "../../support/clock.ts";
import { openTables } from "../../support/tables.ts";
import { watchedClient } from "../../support/watched-client.ts";

const accountId = "acct_1";
const urlOf = (n: number): string => `https://hooks.shop-example.com/${n}`;

const tables = openTables();

/**
 * Creates a table whose client cancels every fifth transaction as a conflict, which the local
 * engine rarely does.
 */
async function openWorld(seed: number) {
  const tableName = await tables.create();
  const random = countingRandom(seed);
  let sent = 0;
  let cancelled = 0;
  const client = watchedClient(tables.client, async (command, send) => {
    const isWrite = command instanceof TransactWriteCommand;
    if (isWrite) sent += 1;
    if (isWrite && (sent * 7 + seed) % 5 === 0) {
      cancelled += 1;
      throw conflictOf();
    }
    return send();
  });
  const patience = { tableName, random, clock: { ...systemClock, sleep: async () => {} } };
  const dependencies = {
    endpoints: dynamoEndpointStore(client, patience),
    secrets: memorySecretBox(),
    resolver: { resolve: async () => ["8.8.8.8"] },
    policy: addressPolicy({ allowLoopback: false }),
    random,
    outbox: { wake: async () => {} },
    queue: { send: async () => {} },
    warn: (_: string, error: unknown) => {
      throw error;
    },
  };
  return { tableName, dependencies, cancelled: () => cancelled };
}

const conflictOf = (): Cancelled =>
  new TransactionCanceledException({
    message: "met another transaction",
    $metadata: {},
    CancellationReasons: [{ Code: "TransactionConflict" }, { Code: "None" }],
  });

type World = Awaited<ReturnType<typeof openWorld>>;

type Step =
  | { readonly kind: "create"; readonly url: number }
  | { readonly kind: "delete"; readonly which: number }
  | { readonly kind: "move"; readonly which: number; readonly url: number }
  | { readonly kind: "rotate"; readonly which: number };

const url = fc.integer({ min: 0, max: 13 });
const which = fc.integer({ min: 0, max: 11 });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("create" as const), url }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), which }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("move" as const), which, url }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rotate" as const), which }) },
);

/**
 * Does a step, and adds the ID of a created endpoint to `known`. Returns `done`, or the HTTP status
 * with which the step was refused.
 */
async function play(step: Step, known: string[], { dependencies }: World): Promise<string> {
  const now = systemClock.now();
  const wanted = { url: "", description: null, events: null, enabled: true };
  const endpointId = "which" in step ? (known[step.which % Math.max(1, known.length)] ?? "") : "";
  const ref = { accountId, endpointId, now, own: { hosts: [], apiId: null } };
  try {
    if (step.kind === "create") {
      const { endpoint } = await createEndpoint(
        { ...ref, wanted: { ...wanted, url: urlOf(step.url) } },
        dependencies,
      );
      known.push(endpoint.id);
    } else if (step.kind === "move") {
      await updateEndpoint({ ...ref, wanted: { url: urlOf(step.url) } }, dependencies);
    } else if (step.kind === "rotate") {
      await rotateSecret({ ...ref, overlap: true }, dependencies);
    } else {
      await deleteEndpoint(ref, now, dependencies);
    }
    return "done";
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return `${error.status}`;
  }
}

/** Reads the endpoints in the table, the rows that reserve their URLs, and the stored count. */
async function standing({ tableName }: World) {
  const { Items: rows = [] } = await tables.client.send(
    new ScanCommand({ TableName: tableName, ConsistentRead: true }),
  );
  const of = (start: string) => rows.filter(({ sk }) => String(sk).startsWith(start));
  return {
    endpoints: of("endpoint#").map((row) => ({ url: String(row["url"]), id: String(row["id"]) })),
    claims: new Map(of("url#").map((row) => [String(row["sk"]), String(row["endpoint_id"])])),
    count: Number(of("count")[0]?.["endpoints"] ?? 0),
  };
}

describe("concurrent creations, deletions and URL changes of webhook endpoints", () => {
  it("never leave more than ten endpoints, or two endpoints with the same URL", async () => {
    const outcomes = new Map<string, number>();
    let cancelled = 0;
    let seed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 6, max: 10 }),
        fc.array(fc.array(anyStep, { minLength: 2, maxLength: 6 }), {
          minLength: 8,
          maxLength: 12,
        }),
        async (before, actors) => {
          seed += 1;
          const world = await openWorld(seed);
          const known: string[] = [];
          for (let n = 0; n < before; n += 1) await play({ kind: "create", url: n }, known, world);
          let most = 0;
          await Promise.all(
            actors.map(async (steps) => {
              for (const one of steps) {
                const outcome = `${one.kind} ${await play(one, known, world)}`;
                outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
                most = Math.max(most, (await standing(world)).endpoints.length);
              }
            }),
          );
          cancelled += world.cancelled();

          const { endpoints, claims, count } = await standing(world);
          expect(Math.max(most, count)).toBeLessThanOrEqual(limits.webhookEndpointsMax);
          expect(count).toBe(endpoints.length);
          const expected = endpoints.map(
            ({ id, url: taken }) => [deliveryKeys.endpointUrl(accountId, taken).sk, id] as const,
          );
          expect(new Set(endpoints.map(({ url: taken }) => taken)).size).toBe(endpoints.length);
          expect(claims).toEqual(new Map(expected));
          expect(claims.size).toBe(endpoints.length);
        },
      ),
      { numRuns: 30, endOnFailure: true },
    );

    // Enough transactions conflicted to test the property.
    expect(cancelled).toBeGreaterThan(50);
    for (const outcome of [
      "create done",
      "create 400",
      "create 409",
      "delete done",
      "delete 404",
      "move done",
      "move 400",
      "move 404",
      "rotate done",
    ]) {
      expect(outcomes.get(outcome) ?? 0, outcome).toBeGreaterThan(0);
    }
    expect([...outcomes.keys()].filter((outcome) => outcome.endsWith("503"))).toEqual([]);
  });

  it("lose no change of an endpoint's fields", async () => {
    const world = await openWorld(1);
    const { dependencies } = world;
    const now = systemClock.now();
    const { endpoint } = await createEndpoint(
      {
        accountId,
        wanted: { url: urlOf(0), description: null, events: null, enabled: true },
        now,
        own: { hosts: [], apiId: null },
      },
      dependencies,
    );
    const ref = { accountId, endpointId: endpoint.id, now, own: { hosts: [], apiId: null } };
    // All rotations have the same time, so that only the order of the writes distinguishes them.
    const rotations = Array.from({ length: 4 }, () =>
      rotateSecret({ ...ref, overlap: true }, dependencies),
    );
    const patches = [
      { url: urlOf(1) },
      { description: "new" },
      { events: ["webhook.test" as const] },
      { enabled: false },
    ].map((wanted) => updateEndpoint({ ...ref, wanted }, dependencies));
    const [rotated] = await Promise.all([Promise.all(rotations), Promise.all(patches)]);

    const found = await dependencies.endpoints.get(accountId, endpoint.id);
    expect(found).toMatchObject({
      url: urlOf(1),
      description: "new",
      events: ["webhook.test"],
      enabled: false,
    });
    const opened = (sealed: string) =>
      dependencies.secrets.open(sealed, {
        account: accountId,
        record: endpoint.id,
        field: "secret",
      });
    const [newest, replaced] = rotated.toSorted((a, b) =>
      b.endpoint.updatedAt.localeCompare(a.endpoint.updatedAt),
    );
    expect(await opened(found?.secret ?? "")).toBe(newest?.secret);
    expect(await opened(found?.previousSecret?.sealed ?? "")).toBe(replaced?.secret);
    expect(Date.parse(found?.updatedAt ?? "")).toBe(now.getTime() + 8);
  });
});
