import { limits } from "../../../shared/base/limits.ts";

const { max, seconds } = limits.probes;

/** The sentence that the OpenAPI description of each probe contains. */
export const probe = `The call is a probe: an account may make ${max} in ${seconds} seconds, then 429.`;
