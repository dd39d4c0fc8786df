import { ProvisionedThroughputExceededException } from "@aws-sdk/client-dynamodb";
import { conflictOf, type ItemInFlight, type ItemKey } from "../../../tools/dynamodb/conflicts.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** A range of milliseconds. Each request draws a duration from it. */
export type Spread = readonly [least: number, most: number];

/** The latencies and limits that the model of DynamoDB applies. */
export interface DynamoRules {
  readonly readMs: Spread;
  readonly writeMs: Spread;
  readonly transactionMs: Spread;
  /** How long a plain write occupies its item, in milliseconds. */
  readonly occupiedMs: number;
  /** How long a transaction locks its items, in milliseconds. */
  readonly lockedMs: number;
  /** The write units that one partition key accepts in a second. */
  readonly partitionUnits: number;
}

export const defaultRules: DynamoRules = {
  readMs: [4, 6],
  writeMs: [4, 6],
  transactionMs: [10, 12],
  occupiedMs: 1,
  lockedMs: 7,
  partitionUnits: 1_000,
};

/** The engine's response to a request, and the write units that the request consumed. */
export interface Effect<Answer> {
  readonly answer: Answer;
  /** The write units that the request consumed. */
  readonly units: number;
}

/**
 * Models the conflicts between simultaneous requests to DynamoDB:
 * - Plain writes of the same item wait for each other.
 * - A transaction locks its items. A plain write to a locked item fails.
 * - A plain write in progress on an item cancels a transaction with this item.
 * - A partition key that has used up its write units is throttled.
 */
export interface Contention {
  /** Runs `effect` as a read, which no other request delays or refuses. */
  read<Answer>(effect: () => Promise<Answer>): Promise<Answer>;
  /**
   * Runs `effect` as plain writes of the items.
   * @throws TransactionConflictException, ProvisionedThroughputExceededException
   */
  write<Answer>(items: readonly ItemKey[], effect: () => Promise<Effect<Answer>>): Promise<Answer>;
  /**
   * Runs `effect` as one transaction on the items.
   * @throws TransactionCanceledException, ProvisionedThroughputExceededException
   */
  transaction<Answer>(
    items: readonly ItemKey[],
    effect: () => Promise<Effect<Answer>>,
  ): Promise<Answer>;
}

interface Options {
  readonly time: VirtualTime;
  readonly rules: DynamoRules;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

/**
 * The virtual times, in milliseconds, until which plain writes and the lock of a transaction occupy
 * an item.
 */
interface ItemState {
  occupiedUntil: number;
  lockedUntil: number;
}

/**
 * Creates a model of the conflicts between simultaneous DynamoDB requests. If DynamoDB would refuse
 * a request, the model throws the error that the SDK throws for a conflict or a throttle.
 */
export function contention({ time, rules, random }: Options): Contention {
  const states = new Map<string, ItemState>();
  const partitions = partitionUnits(time, rules.partitionUnits);
  const drawn = ([least, most]: Spread): number => least + random() * (most - least);
  const stateOf = ({ table, pk, sk }: ItemKey): ItemState => {
    const name = `${table} ${pk} ${sk}`;
    const state = states.get(name) ?? { occupiedUntil: 0, lockedUntil: 0 };
    states.set(name, state);
    return state;
  };
  const inFlight = ({ occupiedUntil, lockedUntil }: ItemState): ItemInFlight => ({
    isOccupied: occupiedUntil > time.now(),
    isLocked: lockedUntil > time.now(),
  });
  const assertAccepted = (isTransaction: boolean, found: readonly ItemState[]): void => {
    const conflict = conflictOf(isTransaction, found.map(inFlight));
    if (conflict !== undefined) throw conflict;
  };
  /** Runs work. Waits for the network latency before and after the work, even if it fails. */
  const there = async <Answer>(
    items: readonly ItemKey[],
    travelMs: number,
    work: (found: readonly ItemState[]) => Promise<Effect<Answer>>,
  ): Promise<Answer> => {
    await time.sleep(travelMs);
    try {
      partitions.assertUnitsLeft(items);
      const { answer, units } = await work(items.map(stateOf));
      partitions.spend(items, units);
      return answer;
    } finally {
      await time.sleep(travelMs);
    }
  };
  return {
    async read(effect) {
      await time.sleep(drawn(rules.readMs));
      return effect();
    },
    write(items, effect) {
      const travelMs = Math.max(0, drawn(rules.writeMs) - rules.occupiedMs) / 2;
      return there(items, travelMs, async (found) => {
        const now = time.now();
        assertAccepted(false, found);
        const from = Math.max(now, ...found.map(({ occupiedUntil }) => occupiedUntil));
        for (const state of found) state.occupiedUntil = from + rules.occupiedMs;
        await time.sleep(from - now + rules.occupiedMs);
        return effect();
      });
    },
    transaction(items, effect) {
      const travelMs = Math.max(0, drawn(rules.transactionMs) - rules.lockedMs) / 2;
      return there(items, travelMs, async (found) => {
        const now = time.now();
        assertAccepted(true, found);
        for (const state of found) state.lockedUntil = now + rules.lockedMs;
        await time.sleep(rules.lockedMs);
        return effect();
      });
    },
  };
}

const partitionOf = ({ table, pk }: ItemKey): string => `${table} ${pk}`;

/** Counts write units by partition key. Each key regains its units as virtual time passes. */
function partitionUnits(time: VirtualTime, unitsMax: number) {
  const partitions = new Map<string, { units: number; at: number }>();
  const leftOf = (item: ItemKey): { units: number; at: number } => {
    const now = time.now();
    const before = partitions.get(partitionOf(item)) ?? { units: unitsMax, at: now };
    const earned = ((now - before.at) / 1_000) * unitsMax;
    const left = { units: Math.min(unitsMax, before.units + earned), at: now };
    partitions.set(partitionOf(item), left);
    return left;
  };
  return {
    assertUnitsLeft(items: readonly ItemKey[]): void {
      if (items.some((item) => leftOf(item).units <= 0)) throw throttled();
    },
    /** Consumes the units of a request in equal parts for its items. */
    spend(items: readonly ItemKey[], units: number): void {
      for (const item of items) leftOf(item).units -= units / items.length;
    },
  };
}

const throttled = (): Error =>
  new ProvisionedThroughputExceededException({
    $metadata: { httpStatusCode: 400 },
    message: "The partition key has no write units left",
  });
