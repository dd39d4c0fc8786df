import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { routeBody } from "../../../shared/pipelines/pipeline-body.ts";

describe("the 'cooldown' of a route in a request body", () => {
  const isAccepted = (cooldown: unknown): boolean =>
    v.safeParse(routeBody, { when: "changed", notify: true, cooldown }).success;

  it.each(["5m", "6h", "30d", "43200m"])('is accepted if it is the text "%s"', (cooldown) => {
    expect(isAccepted(cooldown)).toBe(true);
  });

  it.each(["4m", "43201m", "721h", "31d", "0m", "6", "six hours", 3_600])(
    'is refused if it is the text "%s"',
    (cooldown) => {
      expect(isAccepted(cooldown)).toBe(false);
    },
  );
});

describe("a numeric 'value' of a route in a request body", () => {
  const refusalOf = (value: number): string | undefined =>
    v.safeParse(routeBody, { when: "ok", field: "price", op: "is", value, notify: true })
      .issues?.[0].message;

  it.each([0, 1e-9, -1e-9, 1e12, -1e12])("is accepted if it is the number %d", (value) => {
    expect(refusalOf(value)).toBeUndefined();
  });

  it.each([0.9e-9, -0.9e-9])(
    "is refused if it is the number %d, which is too close to 0",
    (value) => {
      expect(refusalOf(value)).toContain("must be 0, or have an absolute value of at least");
    },
  );

  it.each([1.1e12, -1.1e12])("is refused if it is the number %d, which is too large", (value) => {
    expect(refusalOf(value)).toContain("must be from");
  });
});

describe("a string 'value' of a route in a request body", () => {
  it.each([
    [200, "accepted"],
    [201, "refused"],
  ])("that has %d characters is %s", (length, result) => {
    const value = "a".repeat(length);
    const route = { when: "ok", field: "availability", op: "is", value, notify: true };
    expect(v.safeParse(routeBody, route).success).toBe(result === "accepted");
  });
});

describe("an unknown key of a route in a request body", () => {
  const refusalOf = (key: string): string | undefined =>
    v.safeParse(routeBody, { when: "ok", notify: true, [key]: 1 }).issues?.[0].message;

  it("is repeated in the error if the key is short and has only plain characters", () => {
    expect(refusalOf("colour")).toContain("A route has an unknown key 'colour'.");
  });

  it.each(["two words", "<b", "b>", "a".repeat(65)])(
    'is not repeated in the error if it is the text "%s"',
    (key) => {
      expect(refusalOf(key)).toContain("A route has an unknown key. Accepted keys:");
    },
  );
});
