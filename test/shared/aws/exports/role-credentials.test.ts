import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { cacheRoleCredentials } from "../../../../shared/aws/exports/cached-role-credentials.ts";
import { stsRoleCredentials } from "../../../../shared/aws/exports/role-credentials.ts";
import type { AssumedRole } from "../../../../shared/exports/role-credentials.ts";
import { fixedClock } from "../../../support/clock.ts";
import { type Receiver, startReceiver } from "../../../support/receiver.ts";

const role: AssumedRole = {
  roleArn: "arn:aws:iam::123456789012:role/events",
  externalId: "ext-1",
  region: "eu-central-1",
};
const answerOf = (expiration: string): string =>
  `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult>
    <Credentials><AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>secret</SecretAccessKey>
    <SessionToken>token</SessionToken><Expiration>${expiration}</Expiration></Credentials>
  </AssumeRoleResult></AssumeRoleResponse>`;
const refusal = (code: string): string =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>no</Message></Error></ErrorResponse>`;

let sts: Receiver;
beforeAll(async () => {
  sts = await startReceiver();
});
afterAll(() => sts.stop());
beforeEach(() => {
  sts.requests.length = 0;
  sts.answer = (response) => response.end(answerOf("2026-11-20T11:00:00Z"));
});

const roles = () =>
  stsRoleCredentials({
    endpoint: `http://127.0.0.1:${sts.port}`,
    credentials: { accessKeyId: "service", secretAccessKey: "service" },
  });

describe("stsRoleCredentials, which assumes a customer's role,", () => {
  it("requests credentials for one hour in the bucket's region, with the external ID and the service's name", async () => {
    const assumed = await roles().assume(role);

    expect(assumed).toEqual({
      outcome: "assumed",
      credentials: {
        accessKeyId: "ASIA1",
        secretAccessKey: "secret",
        sessionToken: "token",
        expiresAt: new Date("2026-11-20T11:00:00.000Z"),
      },
    });
    expect(Object.fromEntries(new URLSearchParams(sts.requests[0]?.body))).toMatchObject({
      Action: "AssumeRole",
      RoleArn: role.roleArn,
      ExternalId: "ext-1",
      RoleSessionName: "retail-product-data-service",
      DurationSeconds: "3600",
    });
    expect(sts.requests[0]?.headers.authorization).toContain("/eu-central-1/sts/");
  });

  it.each([
    [403, "AccessDenied"],
    [403, "RegionDisabledException"],
  ])(
    "returns the error code as the reason if AWS refuses the role: status %i, code %s",
    async (status, code) => {
      sts.answer = (response) => response.writeHead(status).end(refusal(code));

      expect(await roles().assume(role)).toEqual({ outcome: "failed", reason: code });
    },
  );

  it("returns a failure if the response has no credentials or the connection breaks", async () => {
    sts.answer = (response) => response.end("<AssumeRoleResponse/>");
    expect(await roles().assume(role)).toMatchObject({ outcome: "failed" });

    sts.answer = (response) => response.destroy();
    expect(await roles().assume(role)).toMatchObject({ outcome: "failed" });
  });
});

describe("cacheRoleCredentials, which caches the credentials of an assumed role,", () => {
  it("assumes a role again only in the last five minutes before its credentials expire", async () => {
    const clock = fixedClock("2026-11-20T10:00:00.000Z");
    const kept = cacheRoleCredentials(roles(), clock);
    await kept.assume(role);
    clock.set("2026-11-20T10:54:59.999Z");
    await kept.assume(role);
    expect(sts.requests).toHaveLength(1);

    await kept.assume({ ...role, externalId: "ext-2" });
    expect(sts.requests).toHaveLength(2);

    clock.set("2026-11-20T10:55:00.000Z");
    await kept.assume(role);
    expect(sts.requests).toHaveLength(3);
  });

  it("does not cache a failure to assume a role", async () => {
    const kept = cacheRoleCredentials(roles(), fixedClock("2026-11-20T10:00:00.000Z"));
    sts.answer = (response) => response.writeHead(403).end(refusal("AccessDenied"));
    await kept.assume(role);
    sts.answer = (response) => response.end(answerOf("2026-11-20T11:00:00Z"));

    expect(await kept.assume(role)).toMatchObject({ outcome: "assumed" });
  });
});
