import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { Admission, KeyOwner } from "../accounts/account-store.ts";
import { localRate } from "../accounts/local-rate.ts";
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
import { boundedMap } from "../base/bounded-map.ts";
import { isDependencyFailure } from "../base/dependency-failure.ts";
import { isConditionFailure, type Row } from "./dynamo.ts";
import { accountKeys } from "./table.ts";

/** What this process last saw of a key. */
interface Known {
  readonly state: RateState;
  readonly owner: KeyOwner;
  readonly seenAt: Date;
}

/** Tries on a row that other calls keep moving on; each brings what the next one needs. */
const refreshesMax = 8;
const knownKeysMax = 10_000;
/** A key may have been revoked since it was seen: while the store fails, it is trusted so long. */
const trustedMs = 5 * 60_000;

/**
 * Finds keys and counts their calls; remembers the last known state of each key. While the store
 * fails, each key is held to its rate by what this process has counted: no call goes uncounted.
 */
export function keyAdmission(
  client: DynamoDBDocumentClient,
  table: string,
): (keyHash: string, now: Date) => Promise<Admission> {
  const known = boundedMap<Known>(knownKeysMax);
  const here = localRate();
  const counted = async (keyHash: string, now: Date): Promise<Admission> => {
    const nowMs = now.getTime();
    for (let tries = 0; tries <= refreshesMax; tries += 1) {
      const state = known.get(keyHash)?.state;
      const row = await countCall(client, table, { keyHash, nowMs, state });
      const fresh = row === undefined ? undefined : workingKey(row.item, now);
      if (row === undefined || fresh === undefined) {
        known.delete(keyHash);
        return { outcome: "unknown" };
      }
      known.set(keyHash, fresh);
      const rate = rateDecision(fresh.state, nowMs);
      if (row.counted) return { outcome: "admitted", owner: fresh.owner, rate };
      if (rate.remaining === 0) return { outcome: "limited", rate };
    }
    return { outcome: "limited", rate: rateDecision(known.get(keyHash)?.state ?? noCalls, nowMs) };
  };
  const countedHere = async (keyHash: string, now: Date, error: unknown): Promise<Admission> => {
    const { admitted, rate } = here.admit(keyHash, now);
    if (!admitted) return { outcome: "limited", rate };
    try {
      // Reads have a throughput of their own, and the row knows whether the key was revoked.
      const key = await readKey({ client, table, keyHash, now });
      if (key === undefined) return { outcome: "unknown" };
      return { outcome: "admitted", owner: key.owner, rate, countedHere: true };
    } catch (readError) {
      if (!isDependencyFailure(readError)) throw readError;
      const key = known.get(keyHash);
      const isTrusted = key !== undefined && now.getTime() - key.seenAt.getTime() <= trustedMs;
      if (!isTrusted) return { outcome: "unreadable", rate, error };
      return { outcome: "admitted", owner: key.owner, rate, countedHere: true };
    }
  };
  return async (keyHash, now) => {
    try {
      const admission = await counted(keyHash, now);
      if (admission.outcome === "admitted") here.count(keyHash, now);
      return admission;
    } catch (error) {
      if (!isDependencyFailure(error)) throw error;
      return countedHere(keyHash, now, error);
    }
  };
}

async function readKey({
  client,
  table,
  keyHash,
  now,
}: {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  readonly keyHash: string;
  readonly now: Date;
}): Promise<Known | undefined> {
  const { Item } = await client.send(
    new GetCommand({ TableName: table, Key: accountKeys.keyHash(keyHash) }),
  );
  return Item === undefined ? undefined : workingKey(Item, now);
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

const workingKey = (row: Row, seenAt: Date): Known | undefined =>
  row["revoked_at"] === undefined
    ? { state: rateStateOf(row), owner: ownerOf(row), seenAt }
    : undefined;

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
