import { BlockList } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressPolicy, isPublicAddress } from "../../../shared/outgoing/address-policy.ts";

describe("isPublicAddress, which checks IP addresses,", () => {
  it.each([
    "8.8.8.8",
    "168.63.129.15",
    "168.63.129.17",
    "192.0.1.255",
    "192.0.3.0",
    "198.17.255.255",
    "198.20.0.0",
    "9.255.255.255",
    "11.0.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "223.255.255.255",
    "2001:200::1",
    "2606:4700::1111",
    "2a00:1450::1",
    "3ffe:ffff::1",
  ])("accepts the public address %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    "0.0.0.0",
    "10.128.0.0",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.100.1",
    "169.254.169.254",
    "169.254.170.2",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.31.196.1",
    "192.52.193.255",
    "192.88.99.1",
    "192.168.0.1",
    "192.175.48.255",
    "198.18.0.1",
    "198.19.0.0",
    "198.51.100.7",
    "203.0.113.255",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
    "::",
    "::1",
    "::c0a8:101",
    "::ffff:1:0:0",
    "::ffff:8.8.8.8",
    "::ffff:ac10:1",
    "64:ff9b::808:808",
    "64:ff9b:1::",
    "100::1",
    "100:0:0:1::1",
    "2001::c0a8:101:0:ffff:808:808",
    "2001:2::1",
    "2001:1ff::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2620:4f:8000:8000::",
    "3fff::1",
    "4000::1",
    "5f01::",
    "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "fd00:ec2::254",
    "fd20:ce::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "localhost",
    "",
  ])("refuses the address %s, which is not public", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it("refuses an IPv6 address with a zone ID", () => {
    expect(isPublicAddress("2600::1")).toBe(true);
    expect(isPublicAddress("2600::1%eth0")).toBe(false);
  });

  it("refuses every IPv6 address outside the global unicast range", () => {
    const globalUnicast = new BlockList();
    globalUnicast.addSubnet("2000::", 3, "ipv6");

    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        fc.pre(!globalUnicast.check(address, "ipv6"));
        expect(isPublicAddress(address)).toBe(false);
      }),
    );
  });
});

describe("addressPolicy, which decides which IP addresses are allowed,", () => {
  it("allows loopback addresses only if allowLoopback is true", () => {
    expect(addressPolicy().allows("127.0.0.1")).toBe(false);
    expect(addressPolicy().allows("::1")).toBe(false);
    const local = addressPolicy({ allowLoopback: true });
    expect(local.allows("127.0.0.1")).toBe(true);
    expect(local.allows("::1")).toBe(true);
    expect(local.allows("169.254.169.254")).toBe(false);
    expect(local.allows("10.0.0.1")).toBe(false);
  });
});
