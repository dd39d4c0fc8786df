import type { Account } from "../../shared/accounts/account.ts";
import type { ApiKeyStore } from "../../shared/accounts/api-key-store.ts";
import { type AccountDependencies, createApiKey } from "../../shared/accounts/create-account.ts";
import { apiClient } from "../../tools/customer/api-client.ts";
import { type FilledList, fillWorkspace } from "./fill-workspace.ts";

interface Filling {
  readonly account: Pick<Account, "id" | "demo">;
  /** Where the API stands; paths follow, beginning with `/v1`. */
  readonly baseUrl: string;
  /** URL that hears of changes. */
  readonly receiver: string | undefined;
}

interface Dependencies extends AccountDependencies {
  readonly keys: ApiKeyStore;
}

const keyName = "Filling of the demo workspace";

/**
 * Fills the workspace of a demo account, whose own keys only read: with a key that writes, that
 * nobody sees, and that ends with the work. One that a filling left behind which died ends first.
 * @throws Error for an account of a customer, whose credits these lists would spend
 */
export async function fillAccount(
  { account, baseUrl, receiver }: Filling,
  dependencies: Dependencies,
): Promise<readonly FilledList[]> {
  if (!account.demo) throw new Error(`${account.id} is no demo account`);
  const { keys, clock } = dependencies;
  for (const left of await keys.list(account.id)) {
    if (left.name === keyName) await keys.revoke(account.id, left.id, clock.now());
  }
  const writer = { id: account.id, demo: false };
  const { id, key } = await createApiKey({ account: writer, name: keyName }, dependencies);
  try {
    return await fillWorkspace(apiClient(baseUrl, key), receiver);
  } finally {
    await keys.revoke(account.id, id, clock.now());
  }
}
