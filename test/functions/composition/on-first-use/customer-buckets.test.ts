import { expect, it } from "vitest";
import { customerBuckets } from "../../../../functions/composition/on-first-use/customer-buckets.ts";

const access = {
  bucket: "exports",
  region: "us-east-1",
  endpoint: "http://127.0.0.1:9",
  forcePathStyle: true,
  accessKeyId: "key",
  secretAccessKey: "secret",
};

it("a customer bucket whose client loads on first use can be closed before its first request", () => {
  const bucket = customerBuckets({ allowLoopback: true }, { isCheck: true }).open(access);
  expect(() => bucket.close()).not.toThrow();
});

it("a customer bucket whose client loads on first use returns the failure of a request, and can be closed after that", async () => {
  const bucket = customerBuckets({ allowLoopback: true }, { isCheck: true }).open(access);
  expect(await bucket.find("a")).toEqual({ outcome: "failed", reason: "connection_failed" });
  expect(() => bucket.close()).not.toThrow();
});

it("a customer bucket whose client loads on first use refuses a loopback address", async () => {
  const bucket = customerBuckets({}, { isCheck: false }).open(access);
  expect(await bucket.find("a")).toEqual({ outcome: "failed", reason: "address_refused" });
});
