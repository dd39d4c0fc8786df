/** A mistake of one line that a developer could make. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** What the code says, exactly once. */
  readonly says: string;
  readonly instead: string;
  /** The scenario whose seeds have to find it. */
  readonly scenario: string;
}
