import * as v from "valibot";
import { concurrencyFor } from "../../shared/accounts/account.ts";
import { createAccount, createApiKey } from "../../shared/accounts/create-account.ts";
import { newApiKeyBody } from "../../shared/accounts/api-key-schema.ts";
import { presentApiKey } from "../../shared/accounts/present-api-key.ts";
import { dynamoApiKeyStore } from "../../shared/aws/accounts/api-key-store.ts";
import { dynamoLedgerReader } from "../../tools/reconcile/readers/ledger.ts";
import { dynamoDestinationStore } from "../../shared/aws/exports/destination-store.ts";
import { dynamoEndpoints } from "../../shared/aws/deliveries/endpoint-store.ts";
import { requestsAtOnceTo } from "../../shared/webhooks/endpoint.ts";
import { isDestinationFailing } from "../../shared/exports/destination.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import { limits } from "../../shared/base/limits.ts";
import { visibleText } from "../../shared/base/visible-text.ts";
import {
  type Admin,
  type Commands,
  listOf,
  requiredOption,
  type Values,
  wholeNumber,
} from "./command.ts";
import { creditsMax, presentTopUp } from "./credits.ts";
import { accountsOf, existingAccount } from "./existing.ts";
import { watchlistLines } from "./watchlists.ts";

const time = { clock: systemClock, random: systemRandom };

const keysOf = ({ dynamo, target }: Admin) => dynamoApiKeyStore(dynamo, target.tables.accounts);

const ledgerReaderOf = ({ dynamo, target: { tables } }: Admin) =>
  dynamoLedgerReader(dynamo, { accountsTable: tables.accounts, ledgerTable: tables.ledger });

const nameLengthMax = 200;

/** The account's name and email address, as `create-account` accepts them. */
const accountNames = v.object({
  name: v.pipe(
    v.string(),
    v.maxLength(
      nameLengthMax,
      ({ received }) =>
        `--name must have at most ${nameLengthMax} characters (got ${received}). Shorten it.`,
    ),
    visibleText("name"),
  ),
  email: v.pipe(
    v.string(),
    v.email(({ input }) => `--email must be an email address (got "${input}").`),
  ),
});

const namesOf = (values: Values): v.InferOutput<typeof accountNames> =>
  v.parse(accountNames, {
    name: requiredOption(values, "name"),
    email: requiredOption(values, "email"),
  });

/**
 * Returns the options `--name` and `--scopes`, checked by the API's rules for API keys.
 * @throws Error if the name is missing, or if an option is invalid
 */
const newKeyOf = (values: Values): v.InferOutput<typeof newApiKeyBody> =>
  v.parse(newApiKeyBody, {
    name: requiredOption(values, "name"),
    ...(values.scopes !== undefined && {
      scopes: values.scopes.split(",").map((scope) => scope.trim()),
    }),
  });

export const accountCommands: Commands = {
  accounts: {
    example: "--json",
    about: "Lists all accounts.",
    async run(_values, admin) {
      const foundAccounts = await ledgerReaderOf(admin).accounts();
      const newestFirst = foundAccounts.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
      return listOf(
        newestFirst.map(({ id, name, email, demo, balance, createdAt }) => ({
          id,
          name,
          email,
          demo,
          credit_balance: balance,
          created_at: createdAt,
        })),
      );
    },
  },
  "accounts show": {
    example: "--account acct_1",
    needs: ["account"],
    about: "Shows an account with its open holds, keys, watchlists and webhook endpoints.",
    run: async (values, admin) => showAccount(requiredOption(values, "account"), admin),
  },
  "create-account": {
    example: "--name Acme --email ops@acme.example --credits 10000",
    needs: ["name", "email"],
    takes: ["credits", "demo"],
    about: `Opens an account with ${limits.signupCredits} credits, or with the number in --credits.`,
    changes: (values) => `Open an account for ${namesOf(values).email}`,
    async run(values, admin) {
      const credits =
        values.credits === undefined
          ? {}
          : { signupCredits: wholeNumber(values, "credits", { least: 0, most: creditsMax }) };
      const wanted = {
        ...namesOf(values),
        demo: values.demo === true,
        ...credits,
      };
      const account = await createAccount(wanted, { accounts: accountsOf(admin), ...time });
      return { id: account.id, name: account.name, credit_balance: account.balance };
    },
  },
  keys: {
    example: "--account acct_1",
    needs: ["account"],
    about: "Lists the API keys of an account.",
    async run(values, admin) {
      const { id } = await existingAccount(requiredOption(values, "account"), admin);
      return listOf((await keysOf(admin).list(id)).map(presentApiKey));
    },
  },
  "create-key": {
    example: "--account acct_1 --name server",
    needs: ["account", "name"],
    takes: ["scopes"],
    about: "Creates an API key and shows it. The key cannot be shown again.",
    changes(values) {
      const { name, scopes } = newKeyOf(values);
      const account = requiredOption(values, "account");
      return `Create an API key for ${account}: ${name} (${scopes.join(", ")})`;
    },
    async run(values, admin) {
      const account = await existingAccount(requiredOption(values, "account"), admin);
      const wanted = { account, ...newKeyOf(values) };
      const createdKey = await createApiKey(wanted, { accounts: accountsOf(admin), ...time });
      return { ...presentApiKey(createdKey), key: createdKey.key };
    },
  },
  "revoke-key": {
    example: "--account acct_1 --key key_1",
    needs: ["account", "key"],
    about: "Revokes an API key immediately. This cannot be undone.",
    changes: (values) =>
      `Revoke API key ${requiredOption(values, "key")} of ${requiredOption(values, "account")}`,
    async run(values, admin) {
      const [accountId, keyId] = [requiredOption(values, "account"), requiredOption(values, "key")];
      if (!(await keysOf(admin).revoke(accountId, keyId, systemClock.now()))) {
        throw new Error(
          `Account ${accountId} has no key ${keyId}. List its keys with npm run admin -- keys.`,
        );
      }
      return { id: keyId, revoked: true };
    },
  },
};

async function showAccount(accountId: string, admin: Admin): Promise<unknown> {
  const account = await existingAccount(accountId, admin);
  const { dynamo, target } = admin;
  const deliveries = { tableName: target.tables.deliveries, ...time };
  const endpoints = await dynamoEndpoints(dynamo, deliveries).list(accountId);
  const destination = await dynamoDestinationStore(dynamo, deliveries).get(accountId);
  const ledgerReader = ledgerReaderOf(admin);
  const { shards = 0 } = (await ledgerReader.account(accountId)) ?? {};
  const holds = await Array.fromAsync(ledgerReader.openHolds({ id: accountId, shards }));
  return {
    id: account.id,
    name: account.name,
    email: account.email,
    demo: account.demo,
    credit_balance: account.balance,
    credits_held: account.held,
    credits_spent: account.spent,
    lifetime_credits: account.lifetime,
    concurrency: concurrencyFor(account.lifetime),
    in_flight: account.inFlight,
    auto_topup: presentTopUp(account.autoTopUp),
    created_at: account.createdAt,
    s3_destination: destination && {
      enabled: destination.enabled,
      failing: isDestinationFailing(destination),
      bucket: destination.bucket,
      last_error: destination.lastError,
    },
    open_holds: holds.map(({ holdId, credits, createdAt, expiresAt }) => ({
      id: holdId,
      credits,
      created_at: createdAt,
      expires_at: expiresAt,
    })),
    api_keys: (await keysOf(admin).list(accountId)).map(presentApiKey),
    watchlists: await watchlistLines(accountId, admin),
    webhook_endpoints: endpoints.map((endpoint) => ({
      id: endpoint.id,
      url: endpoint.url,
      enabled: endpoint.enabled,
      events: endpoint.events,
      requests_at_once: requestsAtOnceTo(endpoint),
      created_at: endpoint.createdAt,
    })),
  };
}
