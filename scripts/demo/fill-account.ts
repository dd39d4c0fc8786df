import type { Account } from "../../shared/accounts/account.ts";
import type { ApiKeyStore } from "../../shared/accounts/api-key-store.ts";
import { type AccountDependencies, createApiKey } from "../../shared/accounts/create-account.ts";
import { apiClient } from "../../tools/customer/api-client.ts";
import { type FilledList, fillWorkspace } from "./fill-workspace.ts";

interface Filling {
  readonly account: Pick<Account, "id" | "demo">;
  /** The API's address; paths begin with `/v1`. */
  readonly baseUrl: string;
  /** The URL that gets changes. */
  readonly receiver: string | undefined;
}

interface Dependencies extends AccountDependencies {
  readonly keys: ApiKeyStore;
}

const keyName = "Filling of the demo workspace";

/**
 * Fills the workspace of a demo account. The account's keys are read-only, so it uses a temporary
 * key that can write, and revokes it at the end. A key that an interrupted call left is revoked
 * first.
 * @throws Error for the account of a customer, because the watchlists spend its credits
 */
export async function fillAccount(
  { account, baseUrl, receiver }: Filling,
  dependencies: Dependencies,
): Promise<readonly FilledList[]> {
  if (!account.demo) throw new Error(`${account.id} is not a demo account`);
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
