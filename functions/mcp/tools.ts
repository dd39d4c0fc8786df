import type { KeyOwner } from "../../shared/accounts/account-store.ts";
import { callerRefusal } from "../http/access.ts";
import { accountTools } from "./account-tools.ts";
import { itemTools } from "./item-tools.ts";
import type { Tool } from "./tool.ts";
import { watchlistTools } from "./watchlist-tools.ts";

/** All tools, in the order in which agents see them. */
export const tools: readonly Tool[] = [...itemTools, ...accountTools, ...watchlistTools];

/** Returns the tools that a key may call. */
export const toolsOf = (owner: Pick<KeyOwner, "demo" | "scopes">): readonly Tool[] =>
  tools.filter(({ key }) => callerRefusal(key, owner) === undefined);
