import { dynamoApiKeyStore } from "../../shared/aws/accounts/api-key-store.ts";
import { systemRandom, systemClock } from "../../shared/base/system.ts";
import { fillAccount } from "../demo/fill-account.ts";
import { type Commands, listOf, requiredOption } from "./command.ts";
import { accountsOf, existingAccount } from "./existing.ts";

export const demoCommands: Commands = {
  "fill-demo": {
    example: "--account acct_1",
    needs: ["account"],
    takes: ["receiver"],
    about:
      "Creates watchlists with sandbox IDs in a demo account and runs each twice. Later runs follow " +
      "the schedule and cost credits of the account. The receiver gets the changes of all runs. A repeated " +
      "call adds what is missing.",
    changes: (values) => `Fill demo account ${requiredOption(values, "account")} with watchlists`,
    async run(values, admin) {
      const account = await existingAccount(requiredOption(values, "account"), admin);
      const { dynamo, target } = admin;
      const filling = { account, baseUrl: await target.apiUrl(), receiver: values.receiver };
      const lists = await fillAccount(filling, {
        accounts: accountsOf(admin),
        keys: dynamoApiKeyStore(dynamo, target.tables.accounts),
        clock: systemClock,
        random: systemRandom,
      });
      return listOf(lists);
    },
  },
};
