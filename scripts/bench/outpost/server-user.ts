/** The user and group of a process. Without numbers, they are those of the bench. */
export interface UserIds {
  readonly uid?: number;
  readonly gid?: number;
}

/** The user and group that have no rights on Linux. */
const withoutRights: UserIds = { uid: 65_534, gid: 65_534 };

/**
 * Returns the user for a server that refuses to run as root. If the bench runs as root, returns the
 * user `postgres`, or the user without rights if there is no `postgres`. Otherwise, returns an
 * empty object, which means the user of the bench.
 * @param machine.passwd the text of `/etc/passwd`
 */
export function userOf(machine: { readonly userId: number; readonly passwd: string }): UserIds {
  if (machine.userId !== 0) return {};
  const users = machine.passwd.split("\n").map((line) => line.split(":"));
  const found = users.find(([name]) => name === "postgres");
  return found === undefined ? withoutRights : { uid: Number(found[2]), gid: Number(found[3]) };
}
