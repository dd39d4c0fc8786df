import { describe, expect, it } from "vitest";
import { userOf } from "../../../../scripts/bench/outpost/server-user.ts";

const root = "root:x:0:0:root:/root:/bin/bash";
const nobody = "nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin";
const postgres = "postgres:x:101:103:PostgreSQL:/var/lib/postgresql:/bin/bash";
const passwd = (...lines: readonly string[]): string => `${lines.join("\n")}\n`;

describe("the user of a server that does not run as root", () => {
  it("is the user of the bench if that is not root", () => {
    expect(userOf({ userId: 1_000, passwd: passwd(root, postgres) })).toEqual({});
  });

  it("is postgres if the bench runs as root", () => {
    const machine = { userId: 0, passwd: passwd(root, nobody, postgres) };
    expect(userOf(machine)).toEqual({ uid: 101, gid: 103 });
  });

  it("is nobody if the bench runs as root and there is no user postgres", () => {
    expect(userOf({ userId: 0, passwd: passwd(root, nobody) })).toEqual({
      uid: 65_534,
      gid: 65_533,
    });
  });

  it("is refused if the bench runs as root and there is no other user", () => {
    expect(() => userOf({ userId: 0, passwd: passwd(root) })).toThrow(
      "Run the bench as another user",
    );
  });
});
