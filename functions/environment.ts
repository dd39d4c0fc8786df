/**
 * The environment variables of each Lambda function. The CDK app sets exactly the variables that
 * are listed for a function, and the function's handler can read only these and
 * `storedVersionsVariable`.
 */
import type { GroupName } from "./routes.ts";

export type WorkerName =
  | "run-starter"
  | "run-step"
  | "run-finisher"
  | "delivery"
  | "backtest-runner"
  | "sweeper";
export type FunctionName = GroupName | WorkerName;

const ofEveryGroup = ["STAGE", "ACCOUNTS_TABLE"] as const;

/**
 * The names of the environment variables of each function. `none` is the value of DOMAIN_NAME if
 * the API has no custom domain, and of EVENT_BUS_NAME if the deployment has no event bus. API_URL
 * is the base URL of the API, with a slash at its end.
 */
export const environment = {
  products: [
    ...ofEveryGroup,
    "LEDGER_TABLE",
    "RUNS_QUEUE_URL",
    "SOURCES",
    "API_URL",
    "RESPONSE_MODE",
  ],
  offers: [
    ...ofEveryGroup,
    "LEDGER_TABLE",
    "RUNS_QUEUE_URL",
    "SOURCES",
    "API_URL",
    "RESPONSE_MODE",
  ],
  watchlists: [
    ...ofEveryGroup,
    "LEDGER_TABLE",
    "WATCHLISTS_TABLE",
    "DELIVERIES_TABLE",
    "RUNS_QUEUE_URL",
    "BACKTESTS_QUEUE_URL",
    "SCHEDULE_GROUP",
    "SCHEDULE_ROLE_ARN",
    "SOURCES",
    "API_URL",
  ],
  "webhook-endpoints": [
    ...ofEveryGroup,
    "DELIVERIES_TABLE",
    "EVENTS_BUCKET",
    "DELIVERIES_QUEUE_URL",
    "SECRETS_KEY_ID",
    "DOMAIN_NAME",
  ],
  events: [...ofEveryGroup, "DELIVERIES_TABLE", "EVENTS_BUCKET", "DELIVERIES_QUEUE_URL"],
  "s3-destination": [
    ...ofEveryGroup,
    "DELIVERIES_TABLE",
    "DELIVERIES_QUEUE_URL",
    "SECRETS_KEY_ID",
    "DOMAIN_NAME",
  ],
  account: [...ofEveryGroup, "LEDGER_TABLE", "WATCHLISTS_TABLE", "DELIVERIES_TABLE"],
  mcp: [
    ...ofEveryGroup,
    "LEDGER_TABLE",
    "WATCHLISTS_TABLE",
    "DELIVERIES_TABLE",
    "RUNS_QUEUE_URL",
    "BACKTESTS_QUEUE_URL",
    "SCHEDULE_GROUP",
    "SCHEDULE_ROLE_ARN",
    "SOURCES",
    "API_URL",
    "DOMAIN_NAME",
    "RESPONSE_MODE",
  ],
  platforms: [...ofEveryGroup],
  structured: [...ofEveryGroup],
  /** DEMO_API_KEY is `none` if there is no demo workspace. */
  dashboard: ["STAGE", "RESPONSE_MODE", "DEMO_API_KEY"],
  meta: [...ofEveryGroup],
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
    "API_URL",
  ],
  "run-finisher": [
    "STAGE",
    "WATCHLISTS_TABLE",
    "DELIVERIES_TABLE",
    "EVENTS_BUCKET",
    "DELIVERIES_QUEUE_URL",
    "EVENT_BUS_NAME",
  ],
  delivery: [
    "STAGE",
    "DELIVERIES_TABLE",
    "EVENTS_BUCKET",
    "DELIVERIES_QUEUE_URL",
    "SECRETS_KEY_ID",
    "EVENT_BUS_NAME",
    "API_URL",
  ],
  "backtest-runner": ["STAGE", "WATCHLISTS_TABLE"],
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

/**
 * The name of an optional variable of every function: which versions of rows and objects the
 * function writes (a value of `WrittenVersions`). The default is `current`.
 */
export const storedVersionsVariable = "STORED_VERSIONS";

/** Some variables of an environment, by name. */
export type Needs<Name extends string> = Readonly<Record<Name, string>>;
export type VariableOf<F extends FunctionName> = (typeof environment)[F][number];
export type EnvironmentOf<F extends FunctionName> = Readonly<Record<VariableOf<F>, string>>;

/**
 * Reads the environment variables of one Lambda function.
 * @param source all variables, such as `process.env`
 * @throws Error that names every variable that is missing or empty
 */
export function readEnvironment<F extends FunctionName>(
  name: F,
  source: Readonly<Record<string, string | undefined>>,
): EnvironmentOf<F> {
  const names: readonly VariableOf<F>[] = environment[name];
  const missing = names.filter((variable) => !source[variable]);
  if (missing.length > 0) {
    throw new Error(
      `These environment variables of the function '${name}' are missing or empty: ${missing.join(", ")}. Set them.`,
    );
  }
  const values = Object.fromEntries(names.map((variable) => [variable, source[variable]]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the check above found that every listed name has a value
  return values as EnvironmentOf<F>;
}
