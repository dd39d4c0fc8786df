import fc from "fast-check";
import { type Engine, startEngine } from "../engine.ts";
import { accountCommands, expectAccount, expectLedger, expectUsage } from "./account-commands.ts";
import { exportCommands, expectExports } from "./export-commands.ts";
import { itemCommands } from "./item-commands.ts";
import { letPass, watchlistCommands } from "./watchlist-commands.ts";
import { progressOf } from "../../../tools/command-line/progress.ts";
import type { SimResult } from "../report.ts";
import { openModel } from "./model.ts";
import { openService } from "./service.ts";
import { type Played, require, type Session } from "./session.ts";
import {
  expectDigests,
  expectFeed,
  expectLog,
  expectSigned,
  webhookCommands,
} from "./webhook-commands.ts";

const commandsMax = 60;
/** Initial credits of accounts. Some are soon too few. */
const beginnings = [5_000, 5_000, 400, 60, 10] as const;

/** A command with its drawn parameters, in the form that fast-check requires. */
class Drawn implements fc.AsyncCommand<Session, Session> {
  private readonly played: Played<unknown>;
  private readonly drawn: unknown;

  constructor(played: Played<unknown>, drawn: unknown) {
    this.played = played;
    this.drawn = drawn;
  }

  check({ model }: Readonly<Session>): boolean {
    return this.played.can?.(model, this.drawn) ?? true;
  }

  async run(session: Session): Promise<void> {
    const came = (await this.played.play(session, this.drawn)) ?? "";
    const name = `${this.played.name} ${came}`.trim();
    session.counts.set(name, (session.counts.get(name) ?? 0) + 1);
    expectSigned(session);
    await expectAccount(session);
  }

  toString(): string {
    return `${this.played.name} ${JSON.stringify(this.drawn)}`;
  }
}

const all: readonly Played<unknown>[] = [
  ...itemCommands,
  ...accountCommands,
  ...watchlistCommands,
  ...webhookCommands,
  ...exportCommands,
];

const named = (name: string): fc.Arbitrary<Drawn> => {
  const found = all.find((played) => played.name === name);
  if (found === undefined) throw new Error(`No command is called ${name}`);
  return found.drawn.map((drawn) => new Drawn(found, drawn));
};
const endpointOf = named("create endpoint");
const listOf = named("create watchlist");

const anyCommand: fc.Arbitrary<fc.AsyncCommand<Session, Session>> = fc.oneof(
  ...all.map((played) => ({
    weight: played.weight ?? 1,
    arbitrary: played.drawn.map((drawn) => new Drawn(played, drawn)),
  })),
);

export interface SequenceOptions {
  readonly runs: number;
  readonly seed?: number;
  readonly path?: string;
  readonly isShrunk?: boolean;
  readonly counts?: Map<string, number>;
  readonly commands?: number;
  /** Called before each sequence. */
  readonly onStart?: () => void;
}

/**
 * Runs sequences of calls and compares all responses with the model.
 * @throws Error with the failing sequence
 */
export async function playSequences(engine: Engine, options: SequenceOptions): Promise<void> {
  const { runs, seed, path, isShrunk = false, counts = new Map<string, number>() } = options;
  const maxCommands = options.commands ?? commandsMax;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...beginnings),
      // Most commands need a watchlist and an endpoint, so each sequence starts with their
      // creation.
      fc.tuple(endpointOf, listOf),
      fc.commands([anyCommand], { maxCommands, size: "max" }),
      (credits, opening, commands) => {
        options.onStart?.();
        return playOne(engine, { credits, opening, commands, counts });
      },
    ),
    {
      numRuns: runs,
      endOnFailure: !isShrunk,
      ...(seed !== undefined && { seed }),
      ...(path !== undefined && { path }),
    },
  );
}

interface Sequence {
  readonly credits: number;
  readonly opening: readonly Drawn[];
  readonly commands: Iterable<fc.AsyncCommand<Session, Session>>;
  readonly counts: Map<string, number>;
}

async function playOne(
  engine: Engine,
  { credits, opening, commands, counts }: Sequence,
): Promise<void> {
  const stage = await engine.stage();
  try {
    const service = await openService(stage, credits);
    const { id, key, name } = service.key;
    const first = { id, key, name, createdAt: service.now(), revoked: false };
    const session: Session = {
      service,
      counts,
      looked: 0,
      model: openModel(service.account.id, first, credits),
    };
    for (const one of opening) await one.run(session);
    await fc.asyncModelRun(() => ({ model: session, real: session }), commands);
    await expectEverything(session);
  } finally {
    await stage.end();
  }
}

/** Compares everything that the API returns with the model (invariants M1, M5 and M8). */
async function expectEverything(session: Session): Promise<void> {
  const { model } = session;
  await letPass(session, 45 * 60_000);
  expectSigned(session);
  await expectAccount(session);
  await expectUsage(session, 90);
  await expectLedger(session, 100);
  const { balance, spent, entries } = model.ledger;
  const given = entries
    .filter(({ type }) => type === "grant" || type === "purchase")
    .reduce((sum, { credits }) => sum + credits, 0);
  require("the ledger", balance + spent ===
    given, "balance and spent credits equal the received credits");
  expectDigests(await expectFeed(session, model.events, { filter: "", limit: 100 }));
  await expectLog(session, {});
  await expectExports(session, 100);
}

/**
 * Runs sequences and prints how often each outcome occurred. Stops at a difference from the model.
 */
export async function playModel(sequences: number): Promise<SimResult> {
  // The functions run in this process, so their log lines would be between the results.
  process.env["POWERTOOLS_LOG_LEVEL"] ??= "SILENT";
  const counts = new Map<string, number>();
  const { API_MODEL_SEED: seed, API_MODEL_PATH: path } = process.env;
  const startedAt = performance.now();
  const engine = await startEngine();
  const progress = progressOf(sequences, { everyMs: 5_000 });
  let isSound = true;
  try {
    await playSequences(engine, {
      runs: sequences,
      counts,
      onStart: () => progress.begin("sequences of calls"),
      isShrunk: process.env["API_MODEL_SHRINK"] !== undefined,
      ...(seed !== undefined && { seed: Number(seed) }),
      ...(path !== undefined && { path }),
    });
  } catch (error) {
    isSound = false;
    console.log(error instanceof Error ? `${error.message}\n${String(error.cause)}` : error);
  } finally {
    await engine.stop();
  }
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const played = [...counts.values()].reduce((sum, count) => sum + count, 0);
  for (const name of [...counts.keys()].toSorted()) console.log(`${counts.get(name)} × ${name}`);
  console.log(
    `${sequences} sequences, ${played} commands, ${seconds} s: ${isSound ? "no difference" : "DIFFERENT"}`,
  );
  return { passed: isSound, sequences, commands: played, outcomes: Object.fromEntries(counts) };
}
