/**
 * The statuses of the health of a source. `unknown`: fewer than `healthItemsMin` items were read in
 * the last hour. The other statuses follow from the share of complete answers.
 */
export const healthStatuses = ["operational", "degraded", "down", "unknown"] as const;
export type HealthStatus = (typeof healthStatuses)[number];

/** The minimum number of items from which shares are calculated. */
export const healthItemsMin = 10;
const operationalMin = 0.95;
const degradedMin = 0.5;

/** The statuses and their limits, in the words of the API reference. */
export const healthStatusText = `\`operational\` from ${operationalMin}, \`degraded\` from ${degradedMin}, else \`down\`.`;

/**
 * Returns the health status for a share of complete answers, from 0 to 1. A share of null, which
 * means that too few items were read, has the status `unknown`.
 */
export function healthStatusOf(share: number | null): HealthStatus {
  if (share === null) return "unknown";
  if (share >= operationalMin) return "operational";
  return share >= degradedMin ? "degraded" : "down";
}
