/** A small defect that a developer could introduce. It replaces a string in one file. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** The text to replace. It occurs exactly once in the file. */
  readonly original: string;
  readonly replacement: string;
  /** The scenario whose seeds must detect the mutant. */
  readonly scenario: string;
}
