/** A small defect that a developer could introduce. It replaces a string in one file. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** The text to replace. It occurs exactly once in the file. */
  readonly original: string;
  readonly replacement: string;
  readonly detectedBy: Detector;
}

/**
 * What must detect a mutant: the seeds of a scenario or, if seeds rarely reach the state in which
 * the mutant shows, a test file of `npm test`.
 */
export type Detector = { readonly scenario: string } | { readonly testFile: string };
