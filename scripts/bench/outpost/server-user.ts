/** The user and group of a process. Without numbers, they are those of the bench. */
export interface UserIds {
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Returns the user as whom a server runs that refuses to run as root: `postgres` or `nobody` if the
 * bench runs as root, otherwise the user of the bench.
 * @param machine.passwd the text of `/etc/passwd`
 * @throws Error if the bench runs as root and the machine has neither user
 */
export function userOf(machine: { readonly userId: number; readonly passwd: string }): UserIds {
  if (machine.userId !== 0) return {};
  const users = machine.passwd.split("\n").map((line) => line.split(":"));
  const found =
    users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  if (found !== undefined) return { uid: Number(found[2]), gid: Number(found[3]) };
  throw new Error(
    "Postgres does not run as root, and there is no user postgres or nobody. Run the bench as another user.",
  );
}
