import { describe, expect, it } from "vitest";
import { isPublicAddress } from "../../../shared/outgoing/address-policy.ts";

/**
 * The name of a block, its first and last address, and the addresses before and after it. The
 * address before or after is null if it does not exist or is refused, too.
 */
type Row = readonly [
  block: string,
  first: string,
  last: string,
  before: string | null,
  after: string | null,
];

const ones = "ffff:ffff:ffff:ffff:ffff:ffff";

const refusedBlocks: readonly Row[] = [
  ["0.0.0.0/8", "0.0.0.0", "0.255.255.255", null, "1.0.0.0"],
  ["10.0.0.0/8", "10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"],
  ["100.64.0.0/10", "100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"],
  ["127.0.0.0/8", "127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"],
  ["169.254.0.0/16", "169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"],
  ["172.16.0.0/12", "172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"],
  ["192.0.0.0/24", "192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"],
  ["192.0.2.0/24", "192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"],
  ["192.31.196.0/24", "192.31.196.0", "192.31.196.255", "192.31.195.255", "192.31.197.0"],
  ["192.52.193.0/24", "192.52.193.0", "192.52.193.255", "192.52.192.255", "192.52.194.0"],
  ["192.88.99.0/24", "192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"],
  ["192.168.0.0/16", "192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"],
  ["192.175.48.0/24", "192.175.48.0", "192.175.48.255", "192.175.47.255", "192.175.49.0"],
  ["198.18.0.0/15", "198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"],
  ["198.51.100.0/24", "198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"],
  ["203.0.113.0/24", "203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"],
  ["224.0.0.0/4", "224.0.0.0", "239.255.255.255", "223.255.255.255", null],
  ["240.0.0.0/4", "240.0.0.0", "255.255.255.255", null, null],
  ["168.63.129.16/32", "168.63.129.16", "168.63.129.16", "168.63.129.15", "168.63.129.17"],
  ["below 2000::/3", "::", `1fff:ffff:${ones}`, null, "2000::"],
  ["above 2000::/3", "4000::", `ffff:ffff:${ones}`, `3fff:ffff:${ones}`, null],
  ["2001::/23", "2001::", `2001:1ff:${ones}`, `2000:ffff:${ones}`, "2001:200::"],
  ["2001:db8::/32", "2001:db8::", `2001:db8:${ones}`, `2001:db7:${ones}`, "2001:db9::"],
  ["2002::/16", "2002::", `2002:ffff:${ones}`, `2001:ffff:${ones}`, "2003::"],
  [
    "2620:4f:8000::/48",
    "2620:4f:8000::",
    "2620:4f:8000:ffff:ffff:ffff:ffff:ffff",
    "2620:4f:7fff:ffff:ffff:ffff:ffff:ffff",
    "2620:4f:8001::",
  ],
  ["3fff::/20", "3fff::", `3fff:fff:${ones}`, `3ffe:ffff:${ones}`, "3fff:1000::"],
];

describe("isPublicAddress, which checks IP addresses,", () => {
  it.each(refusedBlocks)(
    "refuses the first and the last address of the block %s, and accepts the neighboring public addresses",
    (_, ...row) => {
      const [first, last, before, after] = row;

      expect(isPublicAddress(first)).toBe(false);
      expect(isPublicAddress(last)).toBe(false);
      if (before !== null) expect(isPublicAddress(before)).toBe(true);
      if (after !== null) expect(isPublicAddress(after)).toBe(true);
    },
  );

  it.each([
    ["Lambda's runtime", "127.0.0.1"],
    ["Lambda's sandbox", "169.254.100.1"],
    ["EC2's metadata", "169.254.169.254"],
    ["ECS's credentials", "169.254.170.2"],
    ["EKS's credentials", "169.254.170.23"],
    ["Alibaba's metadata", "100.100.100.200"],
    ["Oracle's metadata", "192.0.0.192"],
    ["Scaleway's metadata", "169.254.42.42"],
    ["Azure's wire server", "168.63.129.16"],
    ["EC2's metadata", "fd00:ec2::254"],
    ["EKS's credentials", "fd00:ec2::23"],
    ["EC2's name server", "fd00:ec2::253"],
    ["Google's metadata", "fd20:ce::254"],
  ])("refuses the address of an internal service: %s at the address %s", (_, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});
