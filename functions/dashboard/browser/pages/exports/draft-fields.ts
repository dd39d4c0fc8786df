import type { DestinationDraft } from "./destination-draft.ts";

export interface DraftFieldsProps {
  readonly draft: DestinationDraft;
  readonly change: (part: Partial<DestinationDraft>) => void;
  /** What is wrong with a parameter of the call. */
  readonly messageFor: (param: string) => string | undefined;
}
