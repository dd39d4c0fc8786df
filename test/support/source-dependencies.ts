import { systemRandom, systemClock } from "../../shared/base/system.ts";
import { tokensByKey } from "../../shared/sources/price-history/tokens.ts";
import { localRateBudget } from "../../shared/sources/http/rate-budget.ts";
import { sourceStates } from "../../shared/sources/http/source-state.ts";
import type { SourceDependencies } from "../../shared/sources/registry/parts.ts";

/**
 * Builds the dependencies of a process's sources, with a separate rate budget. The dependencies in
 * `changes` replace the defaults.
 */
export const aSourceWorld = (changes: Partial<SourceDependencies> = {}): SourceDependencies => ({
  clock: systemClock,
  random: systemRandom,
  budget: localRateBudget(),
  states: sourceStates(),
  secrets: { read: (reference) => Promise.resolve(`value of ${reference}`) },
  tokens: tokensByKey(systemClock),
  agentProfileUrl: "https://service.example/v1/agent_profiles/{version}",
  report: () => undefined,
  recordHealth: async () => {},
  warn: () => undefined,
  ...changes,
});
