import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { reasonOf } from "../../tools/python/install.ts";

/**
 * An address that the service accepts as public. It is in an unassigned block (the former 6bone),
 * and exists only in a network namespace that has no route to the internet.
 */
export const publicAddress = "3ffe::1";

/**
 * The command that runs another command in a separate network namespace. All processes in it end
 * with that command.
 */
const enter = [
  "unshare",
  "--user",
  "--map-root-user",
  "--net",
  "--pid",
  "--fork",
  "--kill-child",
  "--",
  "sh",
  "-c",
  `ip link set lo up && ip -6 address add ${publicAddress}/128 dev lo nodad && exec "$@"`,
  "sh",
] as const;

/** The command that enters a new network namespace, or the reason why there is none. */
export type Namespace =
  | { readonly outcome: "available"; readonly enter: readonly string[] }
  | { readonly outcome: "unavailable"; readonly why: string };

/**
 * Tests whether this user can create a network namespace. Returns the command that enters a new
 * namespace, or the reason why the user cannot create one.
 */
export async function ownNamespace(): Promise<Namespace> {
  const [command, ...words] = enter;
  try {
    await promisify(execFile)(command, [...words, "true"]);
    return { outcome: "available", enter };
  } catch (error) {
    return { outcome: "unavailable", why: reasonOf(error) };
  }
}
