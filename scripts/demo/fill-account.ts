import type { Account } from "../../shared/accounts/account.ts";
import type { ApiKeyStore } from "../../shared/accounts/api-key-store.ts";
import { type AccountDependencies, createApiKey } from "../../shared/accounts/create-account.ts";
import { apiClient } from "../../tools/customer/api-client.ts";
import { type FilledWatchlist, fillWorkspace } from "./fill-workspace.ts";

interface Filling {
  readonly account: Pick<Account, "id" | "demo">;
  /** The address of the API without the paths, which begin with `/v1`. */
  readonly baseUrl: string;
  /** The webhook URL that receives the changes; undefined to create no endpoint. */
  readonly receiver: string | undefined;
}

interface Dependencies extends AccountDependencies {
  readonly keys: ApiKeyStore;
}

const keyName = "Filling of the demo workspace";

/**
 * Fills the workspace of a demo account and returns its watchlists. The API keys of the account are
 * read-only, so the function creates a temporary key that can write, and revokes it at the end. It
 * first revokes the temporary key of an interrupted call.
 * @throws Error if the account is not a demo account, because the watchlists spend credits.
 * @throws Error if the API refuses a call, or if a first run takes longer than two minutes.
 */
export async function fillAccount(
  { account, baseUrl, receiver }: Filling,
  dependencies: Dependencies,
): Promise<readonly FilledWatchlist[]> {
  if (!account.demo)
    throw new Error(
      `${account.id} is not a demo account. Only a demo account can be filled, because the new watchlists spend credits of the account. Use a demo account.`,
    );
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
