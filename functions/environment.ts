/**
 * Every environment variable of every Lambda. The CDK app supplies exactly the names listed for a
 * function and nothing else; a handler can read only the names listed for it.
 */
import type { GroupName } from "./routes.ts";

export type WorkerName = "run-starter" | "run-step" | "run-finisher" | "delivery" | "sweeper";
export type FunctionName = GroupName | WorkerName;

const edge = ["STAGE", "ACCOUNTS_TABLE"] as const;

export const environment = {
  products: [...edge, "LEDGER_TABLE", "RUNS_QUEUE_URL", "SOURCES", "RESPONSE_MODE"],
  offers: [...edge, "LEDGER_TABLE", "RUNS_QUEUE_URL", "SOURCES", "RESPONSE_MODE"],
  watchlists: [
    ...edge,
    "WATCHLISTS_TABLE",
    "DELIVERIES_TABLE",
    "RUNS_QUEUE_URL",
    "SCHEDULE_GROUP",
    "SCHEDULE_ROLE_ARN",
  ],
  "webhook-endpoints": [
    ...edge,
    "DELIVERIES_TABLE",
    "EVENTS_BUCKET",
    "DELIVERIES_QUEUE_URL",
    "SECRETS_KEY_ID",
  ],
  events: [...edge, "DELIVERIES_TABLE", "EVENTS_BUCKET", "DELIVERIES_QUEUE_URL"],
  "s3-destination": [...edge, "DELIVERIES_TABLE", "DELIVERIES_QUEUE_URL", "SECRETS_KEY_ID"],
  account: [...edge, "LEDGER_TABLE", "DELIVERIES_TABLE"],
  platforms: [...edge],
  structured: [...edge],
  /** DEMO_API_KEY is `none` where there is no demo workspace. */
  dashboard: ["STAGE", "RESPONSE_MODE", "DEMO_API_KEY"],
  meta: [...edge],
  "run-starter": [
    "STAGE",
    "ACCOUNTS_TABLE",
    "LEDGER_TABLE",
    "WATCHLISTS_TABLE",
    "DELIVERIES_TABLE",
    "STEPS_QUEUE_URL",
    "FINISHES_QUEUE_URL",
    "RUNS_QUEUE_URL",
    "SCHEDULE_GROUP",
    "SCHEDULE_ROLE_ARN",
  ],
  "run-step": [
    "STAGE",
    "ACCOUNTS_TABLE",
    "LEDGER_TABLE",
    "WATCHLISTS_TABLE",
    "STEPS_QUEUE_URL",
    "FINISHES_QUEUE_URL",
    "SOURCES",
  ],
  "run-finisher": [
    "STAGE",
    "WATCHLISTS_TABLE",
    "DELIVERIES_TABLE",
    "EVENTS_BUCKET",
    "DELIVERIES_QUEUE_URL",
  ],
  delivery: [
    "STAGE",
    "DELIVERIES_TABLE",
    "EVENTS_BUCKET",
    "DELIVERIES_QUEUE_URL",
    "SECRETS_KEY_ID",
  ],
  sweeper: [
    "STAGE",
    "ACCOUNTS_TABLE",
    "LEDGER_TABLE",
    "WATCHLISTS_TABLE",
    "DELIVERIES_TABLE",
    "RUNS_QUEUE_URL",
    "DELIVERIES_QUEUE_URL",
  ],
} as const satisfies Record<FunctionName, readonly string[]>;

export type VariableOf<F extends FunctionName> = (typeof environment)[F][number];
export type EnvironmentOf<F extends FunctionName> = Readonly<Record<VariableOf<F>, string>>;

/**
 * The variables of one function, complete or not at all.
 * @throws Error naming every variable that is missing or empty.
 */
export function readEnvironment<F extends FunctionName>(
  name: F,
  source: Readonly<Record<string, string | undefined>>,
): EnvironmentOf<F> {
  const names: readonly VariableOf<F>[] = environment[name];
  const missing = names.filter((variable) => !source[variable]);
  if (missing.length > 0) {
    throw new Error(`${name}: environment variables not set: ${missing.join(", ")}`);
  }
  const values = Object.fromEntries(names.map((variable) => [variable, source[variable]]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every listed name was just found set
  return values as EnvironmentOf<F>;
}
