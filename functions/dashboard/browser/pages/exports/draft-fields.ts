import type { DestinationDraft } from "./destination-draft.ts";

export interface DraftFieldsProps {
  readonly draft: DestinationDraft;
  readonly change: (part: Partial<DestinationDraft>) => void;
  /** Returns the error message of a parameter; undefined if the parameter has no error. */
  readonly messageFor: (param: string) => string | undefined;
}
