import { AsyncLocalStorage } from "node:async_hooks";
import {
  DynamoDBClient,
  ProvisionedThroughputExceededException,
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { itemsLockedBy } from "../../../tools/dynamodb/conflicts.ts";
import { contention, type DynamoRules, type Effect } from "./contention.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The requests that were sent to DynamoDB, and the capacity units that the requests consumed. */
export interface Consumption {
  requests: number;
  readUnits: number;
  writeUnits: number;
  conflicts: number;
  throttles: number;
}

/** Returns a consumption in which every count is 0. */
export const noConsumption = (): Consumption => ({
  requests: 0,
  readUnits: 0,
  writeUnits: 0,
  conflicts: 0,
  throttles: 0,
});

const consumer = new AsyncLocalStorage<Consumption>();

/**
 * Runs `work` and returns its result. Adds the requests that `work` sends to DynamoDB to the counts
 * in `to`.
 */
export const consuming = <T>(to: Consumption, work: () => Promise<T>): Promise<T> =>
  consumer.run(to, work);

interface Options {
  readonly endpoint: string;
  readonly time: VirtualTime;
  readonly rules: DynamoRules;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

type Members = Readonly<Record<string, unknown>>;
interface Answer {
  readonly output: Members;
}
interface Args {
  readonly input: Members;
  readonly request: { readonly body: Uint8Array };
}
type Handler = (args: Args) => Promise<Answer>;
interface Stack {
  add(
    middleware: (next: Handler, context: { readonly commandName: string }) => Handler,
    where: { step: string; priority?: string; name: string },
  ): void;
}

/**
 * Creates an SDK client of a local DynamoDB engine that simulates the latency and the refusals of
 * AWS. The engine evaluates conditions and expressions as usual.
 */
export function modelledDynamo({ endpoint, time, rules, random }: Options): DynamoDBDocumentClient {
  const base = new DynamoDBClient({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "bench", secretAccessKey: "bench" },
    retryStrategy: retriesIn(time, random),
  });
  const requests = contention({ time, rules, random });
  const stack = base.middlewareStack as unknown as Stack;
  stack.add(
    (next) => (args) =>
      next({ ...args, input: { ...args.input, ReturnConsumedCapacity: "TOTAL" } }),
    { step: "initialize", name: "metered" },
  );
  stack.add(
    (next, { commandName }) =>
      async (args) => {
        const count = consumer.getStore() ?? noConsumption();
        const body = JSON.parse(Buffer.from(args.request.body).toString()) as Members;
        const items = itemsLockedBy(commandName.replace(/Command$/, ""), body);
        const sent = (): Promise<Answer> => time.still(() => next(args));
        const isTransaction = commandName === "TransactWriteItemsCommand";
        const written = async (): Promise<Effect<Answer>> => {
          // A write with a failed condition also consumes units. The sizes of the items are unknown
          // here, so each item counts as one unit. This is correct for items of up to 1 KB.
          let units = items.length * (isTransaction ? 2 : 1);
          try {
            const answer = await sent();
            units = unitsOf(answer);
            return { answer, units };
          } finally {
            count.writeUnits += units;
          }
        };
        count.requests += 1;
        try {
          if (isTransaction) return await requests.transaction(items, written);
          if (items.length > 0) return await requests.write(items, written);
          const answer = await requests.read(sent);
          count.readUnits += unitsOf(answer);
          return answer;
        } catch (error) {
          if (isConflict(error)) count.conflicts += 1;
          if (error instanceof ProvisionedThroughputExceededException) count.throttles += 1;
          throw error;
        }
      },
    { step: "finalizeRequest", priority: "low", name: "modelled" },
  );
  return DynamoDBDocumentClient.from(base, { marshallOptions: { removeUndefinedValues: true } });
}

const isConflict = (error: unknown): boolean =>
  error instanceof TransactionConflictException ||
  (error instanceof TransactionCanceledException &&
    (error.CancellationReasons ?? []).some(({ Code }) => Code === "TransactionConflict"));

const attemptsMax = 3;
const retryBaseMs = 50;

const token = (count: number) => ({
  getRetryCount: () => count,
  getRetryDelay: () => 0,
  getRetryCost: () => undefined,
});

/** Creates a retry strategy that repeats requests as the SDK does, but waits in virtual time. */
function retriesIn(time: VirtualTime, random: () => number) {
  return {
    mode: "standard",
    acquireInitialRetryToken: async () => token(0),
    async refreshRetryTokenForRetry(
      last: { getRetryCount(): number },
      { errorType }: { readonly errorType: string },
    ) {
      const count = last.getRetryCount() + 1;
      if (count >= attemptsMax || errorType === "CLIENT_ERROR") {
        throw new Error(
          `The model does not retry the request after attempt ${count} of ${attemptsMax} (error type ${errorType}). The caller handles the error of the last attempt.`,
        );
      }
      await time.sleep(random() * retryBaseMs * 2 ** count);
      return token(count);
    },
    recordSuccess: () => undefined,
  };
}

function unitsOf({ output: { ConsumedCapacity } }: Answer): number {
  return [ConsumedCapacity].flat().reduce<number>((sum, one) => {
    const { CapacityUnits = 0 } = (one ?? {}) as { CapacityUnits?: number };
    return sum + CapacityUnits;
  }, 0);
}
