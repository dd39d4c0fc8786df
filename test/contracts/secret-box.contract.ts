import { expect, it } from "vitest";
import type { SecretBox } from "../../shared/base/secret-box.ts";

/** Matches the error of each implementation, because their messages differ. */
const refusal = /ciphertext/i;
const context = { account: "acct_1", record: "we_1", field: "secret" };

/** Registers the tests that every secret box must pass. `open` is called in each test. */
export function secretBoxContract(open: () => SecretBox): void {
  it("decrypts a secret with the encryption context that was used to encrypt it", async () => {
    const box = open();

    const ciphertext = await box.seal("whsec_canary", context);

    expect(ciphertext).not.toContain("whsec_canary");
    expect(await box.open(ciphertext, context)).toBe("whsec_canary");
    expect(await box.open(ciphertext, context)).toBe("whsec_canary");
  });

  it.each([
    ["account", { ...context, account: "acct_2" }],
    ["record", { ...context, record: "we_2" }],
    ["field", { ...context, field: "previous" }],
  ])(
    "refuses to decrypt a secret with an encryption context in which the value of '%s' is different",
    async (_, other) => {
      const box = open();
      const ciphertext = await box.seal("whsec_canary", context);
      await box.open(ciphertext, context);

      await expect(box.open(ciphertext, other)).rejects.toThrow(refusal);
    },
  );

  it("refuses to decrypt a string that it did not encrypt", async () => {
    const never = Buffer.from("a text that no box has ever sealed at all").toString("base64");

    await expect(open().open(never, context)).rejects.toThrow(refusal);
  });
}
