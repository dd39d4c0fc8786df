import { limits } from "../../shared/base/limits.ts";

/**
 * Time that a call needs after its last read to settle its credits and send its response, in
 * milliseconds.
 */
export const afterReadingMs = limits.dependencies.settleMs + limits.dependencies.answerSpareMs;
