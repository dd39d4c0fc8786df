import { missingScopes } from "../../shared/accounts/scopes.ts";
import type { Caller } from "../http/route.ts";
import { hasEffects, scopesOf } from "../routes.ts";
import { itemTools } from "./item-tools.ts";
import type { Tool } from "./tool.ts";
import { watchlistTools } from "./watchlist-tools.ts";

/** All tools, in the order in which agents see them. */
export const tools: readonly Tool[] = [...itemTools, ...watchlistTools];

/** Returns the tools that a key may call. */
export const toolsOf = ({ demo, scopes }: Pick<Caller, "demo" | "scopes">): readonly Tool[] =>
  tools.filter(
    ({ key }) => missingScopes(scopesOf(key), scopes).length === 0 && !(demo && hasEffects(key)),
  );
