import {
  type DynamoDBDocumentClient,
  GetCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { Admission, KeyOwner } from "../../accounts/account-store.ts";
import { localRate, type LocalRate } from "../../accounts/local-rate.ts";
import {
  admitsAt,
  noAdmissions,
  rateDecision,
  refusal,
  admitsFromMs,
  windowMs,
} from "../../accounts/rate-window.ts";
import {
  afterAdmission,
  afterRefusal,
  noPause,
  type RefusalPause,
} from "../../accounts/refusal-pause.ts";
import { boundedMap, type BoundedMap } from "../../base/bounded-map.ts";
import type { RandomSource } from "../../base/clock.ts";
import { isDependencyFailure } from "../../base/dependency-failure.ts";
import { systemRandom } from "../../base/system.ts";
import { isConditionFailure, isThrottle, type Row } from "../table/dynamo.ts";
import { admissionTimesOf, keyOwnerOf, retiredAttributesOf, toStoredMs } from "./key-row.ts";
import { accountKeys } from "../table/table.ts";

/** A cached key: its owner, and the time at which this process last read the key's row. */
interface CachedKey {
  readonly owner: KeyOwner;
  readonly seenAt: Date;
}

type Limited = Extract<Admission, { outcome: "limited" }>;

const knownKeysMax = 10_000;
/**
 * Milliseconds for which a cached key counts as valid while the store fails. The key may have been
 * revoked since it was cached.
 */
const trustedMs = 5 * 60_000;
/**
 * Milliseconds by which the newest admission in a row may be later than the call that is to be
 * admitted, because the clocks of processes differ.
 */
const aheadMsMax = 10;
/**
 * Maximum number of attempts to admit a call. The first attempt assumes that the row has the
 * current format and no later time than the call. The second attempt uses the row that refused the
 * first attempt. The third attempt is needed if another process changed the row between the first
 * two.
 */
const triesMax = 3;
/**
 * After DynamoDB throttled a key's row, the process refuses the key's calls for this many
 * milliseconds without a request to DynamoDB.
 */
const throttledMs = 1_000;

/** The state of keys in one process. */
interface KeyProcess {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  readonly random: Pick<RandomSource, "fraction">;
  /** The owners of keys whose rows this process has read. */
  readonly known: BoundedMap<CachedKey>;
  /**
   * For each key, the pause during which this process refuses its calls without a request to
   * DynamoDB.
   */
  readonly pauses: BoundedMap<RefusalPause>;
  /** Counts calls while DynamoDB fails. */
  readonly local: LocalRate;
}

/** A call to count against the rate limit of its key. */
interface KeyCall {
  readonly keyHash: string;
  readonly now: Date;
}

/**
 * Creates the function that looks up a key by its hash, and counts a call against the rate limit in
 * the key's row. After a refusal, the process refuses further calls of the key for a while, without
 * a request to DynamoDB. This pause lasts at least a second if DynamoDB throttled the row. While
 * DynamoDB fails, the process counts calls in memory. The process then admits a key only if the
 * process can still read the key's row, or has read the row in the last five minutes. Otherwise,
 * the outcome is `unreadable`.
 */
export function keyAdmission(
  client: DynamoDBDocumentClient,
  table: string,
  random: Pick<RandomSource, "fraction"> = systemRandom,
): (keyHash: string, now: Date) => Promise<Admission> {
  const process: KeyProcess = {
    client,
    table,
    random,
    known: boundedMap(knownKeysMax),
    pauses: boundedMap(knownKeysMax),
    local: localRate(),
  };
  return (keyHash, now) => admit(process, { keyHash, now });
}

/** Decides about a call: by the pause of its key, by the key's row, or by the local rate limit. */
async function admit(process: KeyProcess, call: KeyCall): Promise<Admission> {
  const nowMs = call.now.getTime();
  const { untilMs } = pauseOf(process, call.keyHash);
  if (nowMs < untilMs) return { outcome: "limited", ...refusal(untilMs, nowMs) };
  try {
    const admission = await admitByRow(process, call);
    if (admission.outcome === "admitted") process.local.count(call.keyHash, call.now);
    return admission;
  } catch (error) {
    if (!isDependencyFailure(error)) throw error;
    return isThrottle(error)
      ? refuseThrottled(process, call, error)
      : admitLocally(process, call, error);
  }
}

/** Decides about a call by the key's row, in which it counts an admitted call. */
async function admitByRow(process: KeyProcess, { keyHash, now }: KeyCall): Promise<Admission> {
  const nowMs = now.getTime();
  let seen: Row | undefined;
  for (let tries = 0; tries < triesMax; tries += 1) {
    const { isAdmitted, row } = await countCall(process, { keyHash, nowMs, seen });
    if (!isWorking(row)) {
      process.known.delete(keyHash);
      return { outcome: "unknown" };
    }
    const owner = keyOwnerOf(row);
    process.known.set(keyHash, { owner, seenAt: now });
    const times = admissionTimesOf(row);
    if (isAdmitted && times !== undefined) {
      const pause = afterAdmission(pauseOf(process, keyHash), admitsFromMs(times));
      process.pauses.set(keyHash, pause);
      return { outcome: "admitted", owner, rate: rateDecision(times, nowMs) };
    }
    if (times !== undefined && !admitsAt(times, nowMs)) {
      // A process with a fast clock may have written times far in the future. The key must not be
      // refused until then, so `fromMs` is at most one window ahead.
      const fromMs = Math.min(admitsFromMs(times), nowMs + windowMs);
      return refuse(process, keyHash, { nowMs, fromMs });
    }
    seen = row;
  }
  return refuse(process, keyHash, { nowMs, fromMs: nowMs });
}

/**
 * Refuses a call, and starts or extends the pause of its key.
 * @param fromMs time from which the rate limit may admit a call of the key
 */
function refuse(
  { pauses, random }: KeyProcess,
  keyHash: string,
  { nowMs, fromMs }: { readonly nowMs: number; readonly fromMs: number },
): Limited {
  const refused = { nowMs, fromMs, fraction: random.fraction() };
  const pause = afterRefusal(pauseOf({ pauses }, keyHash), refused);
  pauses.set(keyHash, pause);
  return { outcome: "limited", ...refusal(pause.untilMs, nowMs) };
}

const pauseOf = ({ pauses }: Pick<KeyProcess, "pauses">, keyHash: string): RefusalPause =>
  pauses.get(keyHash) ?? noPause;

/** Counts the call in this process only, because DynamoDB failed with `error`. */
async function admitLocally(
  process: KeyProcess,
  { keyHash, now }: KeyCall,
  error: unknown,
): Promise<Admission> {
  const counted = process.local.admit(keyHash, now);
  const { rate } = counted;
  if (!counted.admitted) {
    return { outcome: "limited", rate, retryAfterSeconds: counted.retryAfterSeconds };
  }
  const owner = await ownerWithoutCount(process, { keyHash, now });
  if (owner === "unknown") return { outcome: "unknown" };
  if (owner === "unreadable") return { outcome: "unreadable", rate, error };
  return { outcome: "admitted", owner, rate, countedHere: true };
}

/** Refuses the call, because DynamoDB throttled the key's row with `error`. */
async function refuseThrottled(
  process: KeyProcess,
  call: KeyCall,
  error: unknown,
): Promise<Admission> {
  const nowMs = call.now.getTime();
  const owner = await ownerWithoutCount(process, call);
  if (owner === "unknown") return { outcome: "unknown" };
  const limited = refuse(process, call.keyHash, { nowMs, fromMs: nowMs + throttledMs });
  return owner === "unreadable"
    ? { outcome: "unreadable", rate: limited.rate, error }
    : { ...limited, throttled: true };
}

/** Returns true for the row of a key that exists and was not revoked. */
const isWorking = (row: Row | undefined): row is Row =>
  row !== undefined && row["revoked_at"] === undefined;

/**
 * Reads the owner of a key whose row cannot be written. Reads have separate throughput, and the row
 * shows whether the key was revoked. If the read fails too, uses the cached owner, if it is at most
 * five minutes old. Returns `unknown` if the key is not valid, and `unreadable` if no owner is
 * available.
 */
async function ownerWithoutCount(
  { client, table, known }: KeyProcess,
  { keyHash, now }: KeyCall,
): Promise<KeyOwner | "unknown" | "unreadable"> {
  try {
    const command = new GetCommand({ TableName: table, Key: accountKeys.keyHash(keyHash) });
    const { Item } = await client.send(command);
    return isWorking(Item) ? keyOwnerOf(Item) : "unknown";
  } catch (error) {
    if (!isDependencyFailure(error)) throw error;
    const key = known.get(keyHash);
    const isTrusted = key !== undefined && now.getTime() - key.seenAt.getTime() <= trustedMs;
    return isTrusted ? key.owner : "unreadable";
  }
}

interface CountedCall {
  readonly keyHash: string;
  readonly nowMs: number;
  /**
   * The row that refused the previous attempt, although the rate limit would admit the call;
   * undefined if there is none.
   */
  readonly seen: Row | undefined;
}

/**
 * Makes one conditional write that counts the call. Returns the row after the write, or the row
 * that refused it.
 */
async function countCall(
  { client, table }: KeyProcess,
  call: CountedCall,
): Promise<{ readonly isAdmitted: boolean; readonly row: Row | undefined }> {
  try {
    const { Attributes } = await client.send(
      new UpdateCommand({
        TableName: table,
        Key: accountKeys.keyHash(call.keyHash),
        ...updateOf(call),
        ReturnValues: "ALL_NEW",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    );
    return { isAdmitted: true, row: Attributes };
  } catch (error) {
    if (!isConditionFailure(error)) throw error;
    return { isAdmitted: false, row: error.Item && unmarshall(error.Item) };
  }
}

type Update = Pick<
  UpdateCommandInput,
  "UpdateExpression" | "ConditionExpression" | "ExpressionAttributeValues"
>;

/** Builds the update that adds the call to the admission times if the rate limit admits it. */
function updateOf({ nowMs, seen }: CountedCall): Update {
  const times = seen && admissionTimesOf(seen);
  if (seen !== undefined && times === undefined) return conversionOf(seen, nowMs);
  // If the newest time in the row is later than the call, stores that time again for this call, so
  // that the times in the row never decrease.
  const stampMs = Math.max(nowMs, times?.at(-1) ?? 0);
  return {
    UpdateExpression: "SET admitted_ms[50] = :stamp REMOVE admitted_ms[0]",
    ConditionExpression:
      "attribute_not_exists(revoked_at) AND admitted_ms[0] <= :oldest AND admitted_ms[49] <= :newest",
    ExpressionAttributeValues: {
      ":stamp": toStoredMs(stampMs),
      ":oldest": toStoredMs(nowMs - windowMs),
      ":newest": toStoredMs(stampMs + aheadMsMax),
    },
  };
}

/**
 * Builds the update that adds the list of admission times to a row that the previous release wrote.
 * The list contains the call.
 */
const conversionOf = (row: Row, nowMs: number): Update => ({
  UpdateExpression: `SET admitted_ms = :times REMOVE ${retiredAttributesOf(row).join(", ")}`,
  ConditionExpression:
    "attribute_exists(pk) AND attribute_not_exists(revoked_at) AND attribute_not_exists(admitted_ms)",
  ExpressionAttributeValues: { ":times": [...noAdmissions.slice(1), toStoredMs(nowMs)] },
});
