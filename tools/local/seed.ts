import * as v from "valibot";
import { createAccount, createApiKey } from "../../shared/accounts/create-account.ts";
import type { AccountDependencies } from "../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../shared/aws/accounts/account-store.ts";
import { documentClient } from "../../shared/aws/table/dynamo.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import type { DataFolder } from "./data-folder.ts";
import type { Environment } from "./lambda-host.ts";

/** The API keys of the developer's account and of the demo workspace. */
export interface SeededKeys {
  readonly apiKey: string;
  readonly demoApiKey: string;
}

/**
 * Creates accounts with API keys before the functions start. `variablesOf` returns the environment
 * variables of a function.
 */
export type Seed = (
  folder: DataFolder,
  variablesOf: (functionName: string) => Environment,
) => Promise<SeededKeys>;

const seededKeys = v.object({ apiKey: v.string(), demoApiKey: v.string() });

/** The demo workspace is older than its first run, which was 90 days ago. */
const demoAgeMs = 91 * 86_400_000;

/**
 * Creates the developer's account and the demo workspace, each with one API key. A later start on
 * the same data folder returns the same keys.
 */
export const seedAccounts: Seed = async (folder, variablesOf) => {
  const before = folder.read("api-keys.json", seededKeys);
  if (before) return before;
  const variables = variablesOf("products");
  const accounts = dynamoAccountStore(documentClient(), {
    accounts: variables["ACCOUNTS_TABLE"] ?? "",
  });
  const deps = { accounts, clock: systemClock, random: systemRandom };
  const createdAt = new Date(systemClock.now().getTime() - demoAgeMs);
  const then = { ...systemClock, now: () => createdAt };
  const keys = {
    apiKey: await openAccount("Local", false, deps),
    demoApiKey: await openAccount("Demo workspace", true, { ...deps, clock: then }),
  };
  folder.write("api-keys.json", keys);
  return keys;
};

async function openAccount(
  name: string,
  demo: boolean,
  deps: AccountDependencies,
): Promise<string> {
  const email = demo ? "demo@local.invalid" : "you@local.invalid";
  const account = await createAccount({ name, email, demo }, deps);
  const { key } = await createApiKey({ account, name: "local world" }, deps);
  return key;
}
