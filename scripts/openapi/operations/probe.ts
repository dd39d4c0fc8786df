import { limits } from "../../../shared/base/limits.ts";

const { max, seconds } = limits.probes;

/** The sentence for descriptions of operations that are probes. */
export const probe = `The call is a probe: an account may make ${max} in ${seconds} seconds, then 429.`;
