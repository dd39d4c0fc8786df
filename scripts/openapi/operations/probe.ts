import { limits } from "../../../shared/base/limits.ts";

const { max, seconds } = limits.probes;

/** The sentence that the OpenAPI description of each probe contains. */
export const probe = `The call is a probe: an account can make ${max} in ${seconds} seconds, and gets 429 for more.`;
