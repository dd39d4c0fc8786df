import type { HealthOfTier } from "../../shared/platforms/present-platform.ts";

/** The health of the tiers of a service that has read nothing. */
export const noHealth: HealthOfTier = () => ({
  status: "unknown",
  success_rate: null,
  partial_rate: null,
  unavailable_rate: null,
  latency_ms: null,
  data_age_seconds: null,
  updated_at: null,
});
