import {
  type Group,
  type GroupName,
  groups,
  type RouteEntry,
  routes,
} from "../../functions/routes.ts";
import type { Throttle } from "../config.ts";

/**
 * The HTTP methods of the API. API Gateway counts the calls with each HTTP method separately, even
 * if the resource has an `ANY` method.
 */
const verbs = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"] as const;

/** API Gateway's default quotas for all calls of an AWS account in a region. */
export const accountQuota: Rate = { requestsPerSecond: 10_000, burst: 5_000 };

interface Rate {
  readonly requestsPerSecond: number;
  /** Number of calls that the gateway accepts at the same moment. */
  readonly burst: number;
}

/** The limit of the calls with one HTTP method to one resource of the gateway. */
interface MethodLimit {
  /** Path of the resource, such as `/v1/products/{proxy+}`. */
  readonly path: string;
  readonly verb: string;
  readonly requestsPerSecond: number;
}

/**
 * Returns the resources of a group: each root path, and all paths below it. The group that handles
 * unknown paths also has the top level and `/v1`.
 */
function resourcesOf(group: Group): readonly string[] {
  const prefix = group.unversioned ? "" : "/v1";
  const bases = [
    ...(group.handlesOtherPaths ? ["", "/v1"] : []),
    ...group.roots.map((root) => `${prefix}/${root}`),
  ];
  return bases.flatMap((base) => [base || "/", `${base}/{proxy+}`]);
}

/**
 * Returns the rate limit of each HTTP method of each gateway resource that has at least one route
 * for it.
 * @throws Error if the gateway has no resource for the path of a route
 */
export function methodLimits({ itemCalls, otherCalls }: Throttle): readonly MethodLimit[] {
  const limits = new Map<string, MethodLimit>();
  for (const [key, { group, itemCall }] of Object.entries<RouteEntry>(routes)) {
    const [verb = "", path = ""] = key.split(" ");
    if (verb === "ANY") continue;
    const isItemCall = groups[group].itemCalls && itemCall !== false;
    const requestsPerSecond = isItemCall ? itemCalls : otherCalls;
    const limit = { path: resourceOf(group, path), verb, requestsPerSecond };
    limits.set(`${limit.path} ${verb}`, limit);
  }
  return [...limits.values()];
}

/**
 * Returns the resource for calls to a path: the resource with that path, or the closest `{proxy+}`.
 * @throws Error if the group has no resource for the path
 */
function resourceOf(group: GroupName, path: string): string {
  const resources = resourcesOf(groups[group]);
  if (resources.includes(path)) return path;
  const [closest] = resources
    .filter((one) => one.endsWith("{proxy+}") && path.startsWith(one.replace("{proxy+}", "")))
    .toSorted((one, other) => other.length - one.length);
  if (closest === undefined) {
    throw new Error(
      `No API Gateway resource of group ${group} receives ${path}. ` +
        "Add a root for this path to the group in functions/routes.ts.",
    );
  }
  return closest;
}

/**
 * Returns the burst for a rate limit: half of the calls of one second, rounded up. A burst is the
 * number of calls that the gateway accepts at the same moment.
 * @param requestsPerSecond the rate limit, in calls per second
 */
export const burstOf = (requestsPerSecond: number): number => Math.ceil(requestsPerSecond / 2);

/**
 * Returns the sums of all limits and of all bursts of a stage. Every HTTP method of every resource
 * has a limit, with or without a route.
 */
export function throttleSums(throttle: Throttle): Rate {
  const limits = methodLimits(throttle).map(({ requestsPerSecond }) => requestsPerSecond);
  const resources = Object.values<Group>(groups).flatMap((group) => resourcesOf(group));
  const others = resources.length * verbs.length - limits.length;
  const all = [...limits, ...Array<number>(others).fill(throttle.otherwise)];
  return { requestsPerSecond: sumOf(all), burst: sumOf(all.map(burstOf)) };
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);
