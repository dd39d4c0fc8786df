import { limits } from "../../../shared/base/limits.ts";

/** The sentence for descriptions of operations that are probes. */
export const probe = `The call is a probe: an account may make ${limits.probesPerMinute} per minute, then 429.`;
