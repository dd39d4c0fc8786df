import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { reasonOf } from "../../tools/python/install.ts";

/**
 * An address that the service takes for public, in a block that belongs to nobody (the returned
 * 6bone). It exists only in a network namespace without any way out.
 */
export const publicAddress = "3ffe::1";

/** What runs a command in a network namespace of its own; all of it ends with that command. */
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

export type Namespace =
  | { readonly outcome: "available"; readonly enter: readonly string[] }
  | { readonly outcome: "unavailable"; readonly why: string };

/** Tries whether this machine lets its user make such a namespace. */
export async function ownNamespace(): Promise<Namespace> {
  const [command, ...words] = enter;
  try {
    await promisify(execFile)(command, [...words, "true"]);
    return { outcome: "available", enter };
  } catch (error) {
    return { outcome: "unavailable", why: reasonOf(error) };
  }
}
