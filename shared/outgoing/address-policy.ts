import { BlockList, isIP } from "node:net";

/** Decides whether the service may connect to an address that a customer chose. */
export interface AddressPolicy {
  /**
   * True if plain HTTP, loopback addresses and the name `localhost` are allowed too. Only the local
   * server sets it to true.
   */
  readonly allowLoopback: boolean;
  /** Returns true for an allowed IP address; false for any other string, including host names. */
  allows(address: string): boolean;
}

/**
 * Special-purpose IPv4 blocks. The last entry is a public address that a cloud provider uses for
 * internal services of its machines.
 */
const refusedIpv4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "168.63.129.16/32",
] as const;

/**
 * All public IPv6 addresses are in this block. `refusedIpv6` lists the special-purpose blocks
 * within it.
 */
const acceptedIpv6 = ["2000::/3"] as const;
const refusedIpv6 = [
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "2620:4f:8000::/48",
  "3fff::/20",
] as const;

const refused = blockList([...refusedIpv4, ...refusedIpv6]);
const globalUnicast = blockList(acceptedIpv6);
const loopback = blockList(["127.0.0.0/8", "::1/128"]);

/** Returns true for a public IP address; false for any other string, including host names. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !refused.check(address, "ipv4");
  if (version !== 6 || address.includes("%")) return false;
  return globalUnicast.check(address, "ipv6") && !refused.check(address, "ipv6");
}

/**
 * Creates an address policy that allows public addresses. If `allowLoopback` is true, the policy
 * also allows loopback addresses.
 */
export function addressPolicy({ allowLoopback = false } = {}): AddressPolicy {
  return {
    allowLoopback,
    allows: (address) => isPublicAddress(address) || (allowLoopback && isLoopback(address)),
  };
}

/** Returns true for a loopback IP address; false for any other string, including host names. */
function isLoopback(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && loopback.check(address, version === 4 ? "ipv4" : "ipv6");
}

/** Creates a list that matches the addresses in these blocks (CIDR notation). */
function blockList(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [network = "", prefix] = block.split("/");
    list.addSubnet(network, Number(prefix), isIP(network) === 4 ? "ipv4" : "ipv6");
  }
  return list;
}
