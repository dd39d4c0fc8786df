import type { AutoTopUp } from "../../shared/accounts/auto-top-up.ts";
import { adjustCredits, grantCredits, purchasePack } from "../../tools/credits/change-credits.ts";
import { creditPacks, isPackId, type PackId } from "../../shared/accounts/credit-packs.ts";
import { dynamoAutoTopUpStore } from "../../shared/aws/accounts/account-store.ts";
import { dynamoCreditChanges } from "../../tools/credits/dynamo-credit-changes.ts";
import { dynamoCreditHistory } from "../../shared/aws/ledger/credit-history.ts";
import { limits } from "../../shared/base/limits.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import { invalidChoiceMessage } from "../../shared/base/valid-values.ts";
import type { ChangeOutcome } from "../../tools/credits/credit-changes.ts";
import type { TransactionFilter } from "../../shared/credits/credit-history.ts";
import { entryTypes } from "../../shared/credits/ledger.ts";
import { listTransactions } from "../../shared/credits/list-transactions.ts";
import {
  type Admin,
  type Commands,
  listOf,
  requiredOption,
  type Values,
  wholeNumber,
} from "./command.ts";
import { existingAccount } from "./existing.ts";
import { quantity } from "../../shared/base/quantity.ts";

/**
 * The largest accepted number of credits. A larger number is probably a typing error. Balances
 * remain exact for 9,000 changes of this size.
 */
export const creditsMax = 1_000_000_000_000;
/** The maximum number of transactions that one command lists. */
const transactionsMax = 1_000;

export const creditCommands: Commands = {
  packs: {
    example: "--json",
    about: "Lists the credit packs.",
    answer: listOf(Object.entries(creditPacks).map(([pack, credits]) => ({ pack, credits }))),
  },
  credits: {
    example: "--account acct_1 --limit 20",
    needs: ["account"],
    // The role must be able to write: before the store lists entries, it makes every shard refuse
    // new entries that would sort among the listed entries.
    role: "act",
    takes: ["request", "type", "watchlist", "limit", "starting-after"],
    about: "Lists the ledger of an account, newest first, with the call or run of each entry.",
    async run(values, admin) {
      const { id } = await existingAccount(requiredOption(values, "account"), admin);
      return listTransactions(
        {
          accountId: id,
          limit: wholeNumber(values, "limit", {
            least: 1,
            most: transactionsMax,
            otherwise: limits.pagination.creditTransactions.default,
          }),
          startingAfter: values["starting-after"],
          filter: filterOf(values),
        },
        dynamoCreditHistory(admin.dynamo, {
          accountsTable: admin.target.tables.accounts,
          ledgerTable: admin.target.tables.ledger,
          clock: systemClock,
          random: systemRandom,
        }),
      );
    },
  },
  purchase: {
    example: "--account acct_1 --id invoice-17 --pack starter",
    needs: ["account", "id", "pack"],
    about: "Adds the credits of a paid pack. Paid credits raise the concurrency tier.",
    changes: (values) => `Add pack ${packOf(values)} to ${subjectOf(values)}`,
    run: (values, admin) =>
      presentChange(
        purchasePack({ ...targetOf(values), packId: packOf(values) }, changesOf(admin)),
      ),
  },
  grant: {
    example: "--account acct_1 --id sorry-3 --credits 500",
    needs: ["account", "id", "credits"],
    about: "Adds free credits.",
    changes: (values) => `Grant ${quantity(grantOf(values), "credit")} to ${subjectOf(values)}`,
    run: (values, admin) =>
      presentChange(
        grantCredits({ ...targetOf(values), credits: grantOf(values) }, changesOf(admin)),
      ),
  },
  adjust: {
    example: "--account acct_1 --id typo-1 --credits=-20",
    needs: ["account", "id", "credits"],
    about: "Adds credits to a balance or removes them. The balance never falls below zero.",
    changes: (values) =>
      `Adjust the balance of ${subjectOf(values)} by ${quantity(adjustmentOf(values), "credit")}`,
    run: (values, admin) =>
      presentChange(
        adjustCredits({ ...targetOf(values), credits: adjustmentOf(values) }, changesOf(admin)),
      ),
  },
  "set-auto-topup": {
    example: "--account acct_1 --threshold 1000 --pack starter",
    needs: ["account"],
    takes: ["threshold", "pack", "disabled"],
    about:
      "Sets the balance at which an account automatically gets a credit pack. Without --pack, removes this setting.",
    changes: (values) => `Set the auto top-up of ${requiredOption(values, "account")}`,
    run: setAutoTopUp,
  },
};

function filterOf({ request, type, watchlist }: Values): TransactionFilter {
  const wanted = entryTypes.find((one) => one === type);
  if (type !== undefined && wanted === undefined) {
    throw new Error(invalidChoiceMessage("--type", entryTypes, type));
  }
  return { requestId: request, type: wanted, watchlistId: watchlist };
}

async function setAutoTopUp(values: Values, { dynamo, target }: Admin): Promise<unknown> {
  const accountId = requiredOption(values, "account");
  const autoTopUp = topUpOf(values);
  const topUps = dynamoAutoTopUpStore(dynamo, target.tables.accounts);
  if (!(await topUps.setAutoTopUp(accountId, autoTopUp))) {
    throw new Error(`Account ${accountId} does not exist. Check the ID and --stage.`);
  }
  return { id: accountId, auto_topup: presentTopUp(autoTopUp) };
}

/** Returns an account's auto top-up in the format of the API, or null if the account has none. */
export const presentTopUp = (topUp: AutoTopUp | null) =>
  topUp && {
    enabled: topUp.enabled,
    threshold_credits: topUp.thresholdCredits,
    pack_id: topUp.packId,
  };

function topUpOf(values: Values): AutoTopUp | null {
  if (values.pack === undefined) {
    if (values.threshold === undefined && values.disabled !== true) return null;
    throw new Error(
      "--threshold and --disabled require --pack. Add --pack, or remove both options.",
    );
  }
  return {
    enabled: values.disabled !== true,
    thresholdCredits: wholeNumber(values, "threshold", { least: 0, most: creditsMax }),
    packId: packOf(values),
  };
}

function changesOf({ dynamo, target: { tables }, warn }: Admin) {
  const time = { clock: systemClock, random: systemRandom };
  const options = { accountsTable: tables.accounts, ledgerTable: tables.ledger, warn, ...time };
  return { changes: dynamoCreditChanges(dynamo, options), ...time };
}

async function presentChange(changeOutcome: Promise<ChangeOutcome>): Promise<unknown> {
  const change = await changeOutcome;
  if (change.outcome === "changed") {
    return { credit_balance: change.balance, lifetime_credits: change.lifetime };
  }
  const reasons = {
    insufficient: "The adjustment removes more credits than the balance has. Nothing was changed.",
    id_reused: "This --id belongs to another change. Use a new --id.",
    unknown_account: "The account does not exist. Check --account and --stage.",
  };
  throw new Error(reasons[change.outcome]);
}

const targetOf = (values: Values): { accountId: string; changeId: string } => ({
  accountId: requiredOption(values, "account"),
  changeId: requiredOption(values, "id"),
});

const subjectOf = (values: Values): string =>
  `${requiredOption(values, "account")} (${requiredOption(values, "id")})`;

function packOf(values: Values): PackId {
  const pack = requiredOption(values, "pack");
  if (!isPackId(pack))
    throw new Error(
      `--pack must be one of ${Object.keys(creditPacks).join(", ")} (got "${pack}").`,
    );
  return pack;
}

const grantOf = (values: Values): number =>
  wholeNumber(values, "credits", { least: 1, most: creditsMax });

function adjustmentOf(values: Values): number {
  const credits = wholeNumber(values, "credits", { least: -creditsMax, most: creditsMax });
  if (credits === 0) throw new Error('--credits must be a positive or negative integer (got "0").');
  return credits;
}
