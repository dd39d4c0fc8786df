/** A small defect, as a developer could introduce it: one replacement of text in one file. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** Text that occurs exactly once in the file. */
  readonly original: string;
  readonly replacement: string;
  /** The scenario whose seeds must detect the mutant. */
  readonly scenario: string;
}
