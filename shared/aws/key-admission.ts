import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { Admission, KeyOwner } from "../accounts/account-store.ts";
import {
  admissionCap,
  bucketMilliseconds,
  bucketOf,
  noCalls,
  notedBucket,
  rateDecision,
  type RateState,
  ringSlots,
  slotOf,
  windowMilliseconds,
} from "../accounts/rate-window.ts";
import { unavailable } from "../base/errors.ts";
import { isConditionFailure, isThrottle, type Row } from "./dynamo.ts";
import { accountKeys } from "./table.ts";

/** What this process last saw of a key. */
interface Known {
  readonly state: RateState;
  readonly owner: KeyOwner;
}

/** Tries on a row that other calls keep moving on; each brings what the next one needs. */
const refreshesMax = 8;
const knownKeysMax = 10_000;

/** Finds keys and counts their calls; remembers the last known state of each key. */
export function keyAdmission(
  client: DynamoDBDocumentClient,
  table: string,
): (keyHash: string, now: Date) => Promise<Admission> {
  const known = new Map<string, Known>();
  const remember = (keyHash: string, found: Known): void => {
    known.delete(keyHash);
    known.set(keyHash, found);
    if (known.size > knownKeysMax) known.delete(known.keys().next().value ?? keyHash);
  };
  const counted = async (keyHash: string, nowMs: number): Promise<Admission> => {
    for (let tries = 0; tries <= refreshesMax; tries += 1) {
      const state = known.get(keyHash)?.state;
      const row = await countCall(client, table, { keyHash, nowMs, state });
      const fresh = row === undefined ? undefined : workingKey(row.item);
      if (row === undefined || fresh === undefined) {
        known.delete(keyHash);
        return { outcome: "unknown" };
      }
      remember(keyHash, fresh);
      const rate = rateDecision(fresh.state, nowMs);
      if (row.counted) return { outcome: "admitted", owner: fresh.owner, rate };
      if (rate.remaining === 0) return { outcome: "limited", rate };
    }
    return { outcome: "limited", rate: rateDecision(known.get(keyHash)?.state ?? noCalls, nowMs) };
  };
  return async (keyHash, now) => {
    try {
      return await counted(keyHash, now.getTime());
    } catch (error) {
      if (!isThrottle(error)) throw error;
      return uncounted({ client, table, keyHash, known: known.get(keyHash) }, now.getTime());
    }
  };
}

/**
 * Lets a call of a known key through without counting it. Reads have a throughput of their own, so
 * the row is asked first: it knows whether the key was revoked.
 */
async function uncounted(
  asked: {
    readonly client: DynamoDBDocumentClient;
    readonly table: string;
    readonly keyHash: string;
    readonly known: Known | undefined;
  },
  nowMs: number,
): Promise<Admission> {
  const key = await readKey(asked).catch((error: unknown) => {
    if (isThrottle(error)) return asked.known ?? "unreadable";
    throw error;
  });
  if (key === "unreadable") throw unavailable();
  if (key === undefined) return { outcome: "unknown" };
  const rate = rateDecision(key.state, nowMs);
  return { outcome: "admitted", owner: key.owner, rate, uncounted: true };
}

async function readKey({
  client,
  table,
  keyHash,
}: {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  readonly keyHash: string;
}): Promise<Known | undefined> {
  const { Item } = await client.send(
    new GetCommand({ TableName: table, Key: accountKeys.keyHash(keyHash) }),
  );
  return Item === undefined ? undefined : workingKey(Item);
}

/**
 * One conditional write that counts the call and returns the key's row. Without a known state it
 * can only count a call after a second of rest; a refusal brings the state for the next try.
 */
async function countCall(
  client: DynamoDBDocumentClient,
  table: string,
  call: { keyHash: string; nowMs: number; state: RateState | undefined },
): Promise<{ readonly counted: boolean; readonly item: Row } | undefined> {
  const { nowMs, state = noCalls } = call;
  const bucket = notedBucket(state, nowMs);
  try {
    const { Attributes } = await client.send(
      new UpdateCommand({
        TableName: table,
        Key: accountKeys.keyHash(call.keyHash),
        UpdateExpression:
          "SET admitted = admitted + :one, #slotAdmitted = admitted + :one, #slotBucket = :bucket, last_admitted_ms = :noted",
        ConditionExpression:
          "attribute_exists(pk) AND attribute_not_exists(revoked_at) AND ((admitted < :cap AND last_admitted_ms < :bucketEnd) OR last_admitted_ms <= :rested)",
        ExpressionAttributeNames: {
          "#slotAdmitted": `ring_admitted_${slotOf(bucket)}`,
          "#slotBucket": `ring_bucket_${slotOf(bucket)}`,
        },
        ExpressionAttributeValues: {
          ":one": 1,
          ":bucket": bucket,
          ":bucketEnd": (bucket + 1) * bucketMilliseconds,
          ":noted": Math.max(nowMs, bucket * bucketMilliseconds),
          ":cap": call.state === undefined ? 0 : admissionCap(call.state, nowMs),
          // A whole bucket more than the window, as the ring knows times only to the bucket.
          ":rested": nowMs - 2 * windowMilliseconds,
        },
        ReturnValues: "ALL_NEW",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    );
    return { counted: true, item: Attributes ?? {} };
  } catch (error) {
    if (!isConditionFailure(error)) throw error;
    return error.Item === undefined ? undefined : { counted: false, item: unmarshall(error.Item) };
  }
}

const workingKey = (row: Row): Known | undefined =>
  row["revoked_at"] === undefined ? { state: rateStateOf(row), owner: ownerOf(row) } : undefined;

function rateStateOf(row: Row): RateState {
  const ring = new Map<number, { bucket: number; admitted: number }>();
  for (let slot = 0; slot < ringSlots; slot += 1) {
    const bucket = row[`ring_bucket_${slot}`];
    const admitted = row[`ring_admitted_${slot}`];
    if (typeof bucket === "number" && typeof admitted === "number") {
      ring.set(slot, { bucket, admitted });
    }
  }
  const lastBucket = bucketOf(Number(row["last_admitted_ms"]));
  return { admitted: Number(row["admitted"]), lastBucket, ring };
}

const ownerOf = (row: Row): KeyOwner => ({
  accountId: String(row["account_id"]),
  keyId: String(row["key_id"]),
  keyName: String(row["name"]),
  keyPrefix: String(row["prefix"]),
  demo: row["demo"] === true,
});
