import { describe, expect, it } from "vitest";
import { userOf } from "../../../../scripts/bench/outpost/server-user.ts";

const root = "root:x:0:0:root:/root:/bin/bash\n";
const postgres = "postgres:x:101:103:PostgreSQL:/var/lib/postgresql:/bin/bash\n";

describe("the user of a server that does not run as root", () => {
  it("is the user of the bench if the bench does not run as root", () => {
    expect(userOf({ userId: 1_000, passwd: root + postgres })).toEqual({});
  });

  it("is postgres if the bench runs as root", () => {
    expect(userOf({ userId: 0, passwd: root + postgres })).toEqual({ uid: 101, gid: 103 });
  });

  it("is the user 65534 if the bench runs as root and there is no user 'postgres'", () => {
    expect(userOf({ userId: 0, passwd: root })).toEqual({ uid: 65_534, gid: 65_534 });
  });
});
