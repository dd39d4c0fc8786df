import { expect, it } from "vitest";
import {
  agentProfile,
  protocolVersions,
} from "../../../../shared/sources/storefront/agent-profile.ts";
import { violationsOf } from "../../../../tools/sources/storefront/official-schemas.ts";

it.each(protocolVersions)(
  "the agent profile for the protocol version %s matches the official schema and declares only this version",
  (version) => {
    const profile = agentProfile(version);
    expect(violationsOf("agentProfile", profile)).toEqual([]);
    expect(new Set(JSON.stringify(profile).match(/\d{4}-\d{2}-\d{2}/g))).toEqual(
      new Set([version]),
    );
  },
);

it("the official schema refuses a profile without services", () => {
  expect(violationsOf("agentProfile", { ucp: { version: "2026-08-25" } })).not.toEqual([]);
});
