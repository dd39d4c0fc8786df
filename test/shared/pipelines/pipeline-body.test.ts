import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { routeBody } from "../../../shared/pipelines/pipeline-body.ts";

describe("the 'cooldown' of a route in a body", () => {
  const isAccepted = (cooldown: unknown): boolean =>
    v.safeParse(routeBody, { when: "changed", notify: true, cooldown }).success;

  it.each(["5m", "6h", "30d", "43200m"])("is accepted as %s", (cooldown) => {
    expect(isAccepted(cooldown)).toBe(true);
  });

  it.each(["4m", "43201m", "721h", "31d", "0m", "6", "six hours", 3_600])(
    "is refused as %s",
    (cooldown) => {
      expect(isAccepted(cooldown)).toBe(false);
    },
  );
});
